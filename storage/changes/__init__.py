"""The record of changes, whom its rows changed, and the consent events."""
