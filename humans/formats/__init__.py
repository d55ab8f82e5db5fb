"""Import formats of judgments, one a file: `read(paths, items, options) -> Imported`."""

FORMATS = {
    "generic": "colorless_green.humans.formats.generic:read",
    "gulordava": "colorless_green.humans.formats.gulordava:read",
}

GROUP = "colorless_green.judgment_formats"
"""Entry points of this group add formats from other distributions."""
