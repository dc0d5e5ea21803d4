"""Whether a text is safe to publish, the reasons if not, and the text made safe.

May import: what audience.answers may, and bleach.
Never: uses the network.
"""
