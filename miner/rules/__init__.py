"""Agreement rules, one a file: what counts as an instance, which constructions are kept."""

RULES = {
    "released": "colorless_green.miner.rules.released:RULE",
    "strict": "colorless_green.miner.rules.strict:RULE",
    "tested": "colorless_green.miner.rules.tested:RULE",
}
GROUP = "colorless_green.rules"
