"""The domain: nouns by subject, which decide and open transactions, and the leaves that every room shares.

May import: answers, storage, leaves, and of schemas only schemas.values.
Never: knows HTTP, Click or Redis: app.py hands in what protocols describes.
"""
