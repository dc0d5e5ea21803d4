"""Changes to subscribers: what is asked for, whose consent counts, and the record of what was done."""
