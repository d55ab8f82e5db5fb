"""Import formats of judgments: `read(paths, items, options) -> Imported`."""

FORMATS = {
    "colorless": "colorless_green.humans.formats.colorless:read",
    "generic": "colorless_green.humans.formats.generic:read",
    "gulordava": "colorless_green.humans.formats.gulordava:read",
    "gulordava_raw": "colorless_green.humans.formats.gulordava:read_raw",
    "ibex": "colorless_green.humans.formats.ibex:read",
    "jatos": "colorless_green.humans.formats.jatos:read",
    "jspsych": "colorless_green.humans.formats.jspsych:read",
    "mturk": "colorless_green.humans.formats.mturk:read",
    "pcibex": "colorless_green.humans.formats.ibex:read",
}

GROUP = "colorless_green.judgment_formats"
"""Entry points of this group add formats from other distributions."""
