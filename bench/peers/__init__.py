"""What others take to import the same people. Each script runs in an environment of its own: `make peers`.

May import: nothing of ours, `compared` aside.
"""
