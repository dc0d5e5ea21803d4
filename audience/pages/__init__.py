"""The pages for people, by which they sign up, confirm, choose and unsubscribe: no session, no cookie, and
nothing that needs the script.

May import: leaves, audience.http, nouns, schemas.
Never: decides or queries, writes on GET, shows more of a subscriber than the masked address.
"""
