"""Tests of the console, through its pages."""
