"""Whether an address is valid: one table of rules over evidence computed on demand.

May import: what audience.answers may.
Never: takes a DNS failure for a fault of the address.
"""
