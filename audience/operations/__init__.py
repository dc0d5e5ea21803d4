"""What an operator does to a whole instance: backup, restore, doctor, probes, first site, demo.

May import: leaves, nouns, answers, storage.
Never: prints or speaks HTTP.
"""
