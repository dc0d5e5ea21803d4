"""The operator's commands, one file per noun.

May import: leaves, nouns, answers, operations, schemas.
Never: starts a process or speaks HTTP: app.py adds those commands.
"""
