"""Whether reputation providers list a domain or an IPv4 address.

May import: what audience.answers may.
Never: looks up what is not public, or takes a failure for a listing.
"""
