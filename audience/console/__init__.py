"""The pages for operators: one blueprint per noun, `page`, templates, static files.

May import: leaves, audience.http, nouns, answers, operations, schemas.
Never: imports audience.api, decides or queries.
"""
