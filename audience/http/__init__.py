"""What every page needs: services, errors, request log, normalizing, health, access.

May import: leaves, nouns, answers (types only), operations.probes and gauges, schemas.
Never: knows the endpoints of a noun.
"""
