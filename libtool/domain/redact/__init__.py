"""Finds logins in text and replaces them by placeholders: rules a file a group, one engine."""

from libtool.domain.redact.engine import Finding, Login, Redactor

__all__ = ["Finding", "Login", "Redactor"]
