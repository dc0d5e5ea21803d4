"""DNS look-ups: resolver, transport and cache.

May import: what audience.answers may, and dnspython.
Never: raises for what the network does.
"""
