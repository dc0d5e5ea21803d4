"""Beside others: peers, PostgreSQL, and the answers beside other libraries.

Run by hand: CI runs none of it. The scripts of peers run in environments of their own and import
nothing of ours.
"""
