"""Logins inside URLs, HTTP headers and cookies."""

from __future__ import annotations

from libtool.domain.lazy import lazy
from libtool.domain.redact.rule import Rule, Span
from libtool.domain.redact.values import LOGIN_WORD, decoded, is_name, is_placeholder, is_random, is_reference, is_wordy, plausible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_USERINFO = lazy(r"://(?P<user>[^\s/@:\"'<>`{}()\\]{0,80}):(?P<v>[^\s/\"'<>`]{1,200})@(?P<host>[\w.-]{1,80}|\[)")
_BARE_USERINFO = lazy(r"://(?P<v>[A-Za-z0-9_~.-]{20,200})(?::(?:x-oauth-basic)?)?@[\w.-]+")
_EXAMPLE_HOST = lazy(r"(?:[\w-]+\.)*(?:example(?:\.\w+)?|localhost|test|invalid)$|127\.0\.0\.1$|host(?:name)?$")
_COOKIE = lazy(r"(?i:(?:set-)?cookies?)[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?=[\w.%-]{1,60}=)|-b\s+[\"']?(?=[\w.%-]{1,60}=)")
_CRUMB = lazy(
    r"(?P<name>[\w.%-]{1,60})=(?P<v>[^;\s\"'\\,]{8,}+)(?:;[ \t]*)?(?:(?i:path|domain|expires|max-age|samesite|secure|"
    r"httponly)\b[^;\n\"']{0,60};?[ \t]*)*"
)
_SESSION_NAME = lazy(r"(?i:sess|sid|auth|token|jwt|csrf|xsrf|remember|login|ticket|_user|identity)")


def _userinfo(text: str, start: int, _end: int) -> Iterator[Span]:
    match = _USERINFO.match(text, start, start + 400)
    if match is None:
        bare = _BARE_USERINFO.match(text, start, start + 300)
        if bare is not None and is_random(bare["v"]):
            yield bare.span("v")
        return
    value, user = match["v"], match["user"]
    if len(value) < 3 or not plausible(value) or value == user or is_reference(value):
        return
    if is_wordy(value) and not any(map(str.isdigit, value)) and (LOGIN_WORD.search(value) or _EXAMPLE_HOST.match(match["host"])):
        return
    yield match.span("v")


def is_basic(value: str) -> bool:
    """Base64 of `user:password`."""
    _, colon, secret = decoded(value).partition(":")
    return bool(colon) and not is_placeholder(secret)


def _long(value: str) -> bool:
    return not is_name(value) and (
        is_random(value) or (len(value) >= 24 and not is_wordy(value) and not is_placeholder(value) and len(set(value)) >= 10)
    )


def _cookies(text: str, start: int, _end: int) -> Iterator[Span]:
    head = _COOKIE.match(text, start, start + 80)
    if head is None:
        return
    at = head.end()
    while (crumb := _CRUMB.match(text, at)) is not None:
        value = crumb["v"].removeprefix("s%3A").removeprefix("s:")
        if (
            _SESSION_NAME.search(crumb["name"])
            and (is_random(value) or (len(value) >= 8 and any(map(str.isdigit, value)) and plausible(value)))
        ) or is_random(value):
            yield crumb.span("v")
        at = crumb.end()
    yield at, at


_SEP = r"(?:\\{0,7}[\"'])?[ \t]{0,4}[:=,][ \t]{0,4}(?:\\{0,7}[\"'`])?"
_GAP = r"(?:[ \t]+|[ \t]*(?:\\?\r?\n|\\r\\n|\\n)[ \t]*)"

RULES = (
    Rule(
        "url-login",
        "url",
        ("://",),
        find=_userinfo,
        hits=("clone https://alice:«{w5}{n3}»@git.acme.io/x", "redis://:«{a20}»@cache:6379/0", "https://«{a40}»@github.com/a/b"),
        misses=("https://user:password@example.com/", "postgres://user:$PW@db/x", "http://localhost:8080/a@b", "ssh://git@host:22/x"),
    ),
    Rule(
        "signed-url",
        "url",
        (
            "sig=",
            "signature=",
            "&code=",
            "?code=",
            "x-amz-security-token=",
            *(f"{mark}{name}=" for mark in "?&" for name in ("appid", "key", "hapikey", "sid", "ticket", "jwt")),
        ),
        r"(?i:(?<=[?&, ])sig(?:nature)?|(?<=x-amz-)signature|(?<=x-goog-)signature|"
        r"x-amz-security-token|[?&](?:code|appid|key|hapikey|sid|ticket|jwt))=(?P<v>[A-Za-z0-9%+/=_.-]{20,}+)",
        _long,
        hits=("https://x.blob.core.windows.net/c/f?sv=1&sig=«{a43}%3D»&se=2", "https://b.s3.amazonaws.com/k?X-Amz-Signature=«{x64}»"),
        misses=("sig=abc", "?code=200"),
    ),
    Rule(
        "bearer",
        "token",
        ("bearer", "authorization", "x-token", "x-auth"),
        rf"(?i:bearer(?:{_GAP}(?:\\?[\"'])?|[\"'],[ \t]*[\"']|_?(?:auth|token)\([\"'])|(?:proxy-)?"
        rf"authorization{_SEP}(?:(?:token|apikey|api-key|key|bearer|ssws|jwt|negotiate|"
        rf"ntlm|hmac|oauth|sso-key|discogs token=|bot|genie(?:key)?|splunk|pat|digest)"
        rf"[ \t]+)?|x-(?:auth-)?(?:token|key){_SEP})(?!AWS4-)(?P<v>[A-Za-z0-9._~+/=:-]{{16,}}+)",
        _long,
        hits=(
            "Authorization: Bearer «{u43}»",
            "authorization: token «{a40}»",
            "Bearer\n «{u43}»",
            'AuthHeader("Bearer", "«{u43}»")',
            "bearerAuth('«{u43}»')",
        ),
        misses=(
            "Authorization: AWS4-HMAC-SHA256 Credential=x",
            "Authorization: Bearer <token>",
            "Bearer authentication-and-authorization",
            "authorization: required",
        ),
    ),
    Rule(
        "basic",
        "basic",
        ("basic ", 'auth"', "_auth"),
        r"(?i:basic[ \t]+|_?auth\\{0,3}[\"']?[ \t]*[:=][ \t]*\\{0,3}[\"']?)(?P<v>[A-Za-z0-9+/]{8,}+={0,2})",
        is_basic,
        hits=("Authorization: Basic «YWxpY2U6d2ludGVyc3VuNzc=»", '"auth": "«YWxpY2U6d2ludGVyc3VuNzc=»"'),
        misses=("Basic authentication", "basic understanding"),
    ),
    Rule(
        "cookie",
        "cookie",
        ("cookie", "-b "),
        find=_cookies,
        far="always",
        hits=("Cookie: sid=«{a32}»; theme=dark", "Set-Cookie: connect.sid=«s%3A{u43}»; Path=/"),
        misses=("Cookie: theme=dark; lang=en", "cookie: $COOKIE"),
    ),
)
