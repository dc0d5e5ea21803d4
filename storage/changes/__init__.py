"""The record of changes, whom its rows changed, and the consent events."""

__all__ = ["changed_subscribers", "consent_changes", "consents", "log", "source_rows"]
