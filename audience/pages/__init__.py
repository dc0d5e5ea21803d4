"""The pages for the people on a list, which links lead to: no session, no cookie, no script.

May import: leaves, audience.http, nouns, schemas.
Never: decides or queries, writes on GET, shows a name, a value or a whole address.
"""
