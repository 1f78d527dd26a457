"""The line around a trigger, and the words that announce logins on it or on the lines below."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from libtool.domain.redact.rule import Span

LOGIN_WORDS = tuple(
    (
        "creds|credential|basic auth|login|log in|logged in|signed in|sign in|account|zugangsdaten|anmeldung|identifiant|connexion|"
        "credencial|credenzial|usuario|учетн|"
        "учётн|логин|账号|帐号|用户名|ログイン|アカウント|계정|로그인|benutzer|utilisateur|username|wifi|inloggen|giriş|logowan"
    ).split("|")
)
"""Words beside which a pair of user and login may stand."""


def line_around(text: str, start: int, end: int, reach: int = 200) -> Span:
    """The line around a trigger, at most `reach` characters to each side."""
    low = text.rfind("\n", max(0, start - reach), start)
    high = text.find("\n", end, end + reach)
    return (low + 1 if low >= 0 else max(0, start - reach)), (high if high >= 0 else min(len(text), end + reach))
