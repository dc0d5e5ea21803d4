"""The web server: granian, request bodies, the gateway to WSGI.

May import: workers, leaves.
Never: knows what the application answers.
"""
