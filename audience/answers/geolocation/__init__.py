"""Where an IPv4 address is, from the bundled table or an operator's .mmdb file.

May import: what audience.answers may, and maxminddb.
Never: uses the network, or answers from a damaged table.
"""
