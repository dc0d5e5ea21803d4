"""The form of requests, responses and files, in marshmallow.

May import: schemas.
Never: queries, or checks a fact.
"""
