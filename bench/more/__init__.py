"""Beside others: peers and earlier commits, PostgreSQL, and the answers beside other libraries.

Run by hand: CI runs none of it. The peers' scripts of peers run in environments of their own and import
nothing of ours.
"""
