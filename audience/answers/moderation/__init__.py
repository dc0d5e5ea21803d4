"""Whether a text is safe to publish, the reasons if not, and the text made safe.

May import: what audience.answers may, bleach and html5lib.
Never: uses the network.
"""
