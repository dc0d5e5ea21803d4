"""The JSON API: one blueprint per noun.

May import: leaves, audience.http, nouns, answers, operations, schemas.
Never: decides or queries: a view reads the request, makes one call and answers.
"""
