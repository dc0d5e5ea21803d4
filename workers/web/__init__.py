"""The web server: granian, its gateway to WSGI, streamed responses.

May import: workers, leaves.
Never: knows what the application answers.
"""
