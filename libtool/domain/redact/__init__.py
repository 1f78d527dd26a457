"""Finds logins in text and replaces them by placeholders: rules a file a group, one engine."""

from libtool.domain.redact.engine import Redactor
from libtool.domain.redact.finding import Finding, Login

__all__ = ["Finding", "Login", "Redactor"]
