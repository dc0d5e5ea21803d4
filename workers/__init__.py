"""The processes other than the web server: queue, worker, sweeper, supervisor, Redis, metrics.

May import: leaves, audience.jobs, storage.errors.
Never: decides: a job names a site, and the domain does the work.
"""
