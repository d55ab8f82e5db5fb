"""Words besides the cue that tell what value the target has, and how words hang together."""
