"""Second factors, codes and keys of things: TOTP secrets, recovery codes, PINs, seed phrases, Wi-Fi keys, credential files."""

from __future__ import annotations

import re

from libtool.domain.lazy import lazy
from libtool.domain.redact.candidate import PROSE, value_at
from libtool.domain.redact.rule import Rule, Span
from libtool.domain.redact.values import decoded, plausible, strength

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_CODE = lazy(
    r"(?:[A-Za-z0-9]{4,6}(?:-[A-Za-z0-9]{4,6}){1,5}|[A-Za-z0-9]{8,16}|\d{6,12}|[A-Za-z0-9]{4,6}(?: [A-Za-z0-9]{4,6}){1,5})(?![\w-])"
)
_CODES_HEAD = lazy(
    r"(?i:(?:recovery|backup|scratch|emergency|rescue|wiederherstellungs|ersatz|notfall)[ _-]?(?:codes?|keys?)|(?:one-time|2fa|"
    r"mfa) codes|codes? de (?:secours|récupération)|códigos? de (?:recuperación|respaldo|recuperação)|"
    r"codici di (?:recupero|backup)|kody zapasowe|резервные коды|备用代码|恢复代码|バックアップコード)"
    r"[^\n:]{0,40}?(?::|is|are|=|[ \t](?=[A-Za-z0-9]*\d)|\n)"
)
_BETWEEN = lazy(r"(?:[ \t,;|]|\r?\n|\\n|[-*•>`\"'\[\]]|\d{1,2}[.)](?=[ \t])){1,12}")


def _recovery(text: str, start: int, _end: int) -> Iterator[Span]:
    head = _CODES_HEAD.match(text, start, start + 120)
    if head is None:
        return
    at = head.end()
    for _ in range(40):
        gap = _BETWEEN.match(text, at)
        code = _CODE.match(text, gap.end() if gap else at)
        if code is None or not re.search(r"\d", code[0]):
            return
        yield code.span()
        at = code.end()


def _digit(value: str) -> bool:
    return plausible(value) or value.isdigit()


def _key(value: str) -> bool:
    return plausible(value) and (strength(value) >= 1 or value.isdigit())


_KIND = lazy(r"(?im:^[ \t-]*[\"']?kind[\"']?:[ \t]*[\"']?secret\b(?![\w-]))")
_SECTION = lazy(r"(?m:^(?P<indent>[ \t]{0,20})(?:data|stringData):[ \t]*$)")
_ENTRY = lazy(r"\n(?P<indent>[ \t]{1,40})(?P<key>[\w./-]{1,80}):[ \t]*(?P<v>[^\n]{0,2000})")
_INNOCENT = lazy(r"(?i:.*(?:user|host|port|name|region|database|bucket|email|crt|cert|ca\b|endpoint|version|namespace|url|uri)\w*|db|type)")
_HEX_KEY = lazy("[0-9a-fA-F]{32,256}")
_DOCUMENT = 4000
"""Characters of a manifest that are looked at before and behind its kind."""


def _manifest(text: str, start: int, _end: int) -> Iterator[Span]:
    """The values of a Kubernetes Secret: what its keys are called says little."""
    line = text.rfind("\n", max(0, start - 40), start) + 1
    if _KIND.match(text, line) is None:
        return
    low = max(text.rfind("\n---", max(0, start - _DOCUMENT), start), 0, start - _DOCUMENT)
    high = text.find("\n---", start, start + _DOCUMENT)
    high = high if high >= 0 else min(len(text), start + _DOCUMENT)
    for section in _SECTION.finditer(text, low, high):
        at = section.end()
        while (entry := _ENTRY.match(text, at, high)) and len(entry["indent"]) > len(section["indent"]):
            at = entry.end()
            value = value_at(text, entry.start("v")) if entry["v"] and not _INNOCENT.fullmatch(entry["key"]) else None
            if value and value[1] <= at and _kept(text[value[0] : value[1]]):
                yield value[:2]
    yield high, high


def _kept(value: str) -> bool:
    """A value of a Secret that is a login, as it stands or in Base64."""
    plain = decoded(value) or value
    return plausible(plain) and plausible(value) and (strength(plain) >= 2 or _HEX_KEY.fullmatch(value) is not None)


_B32 = r"(?:[A-Z2-7]{16,128}=*|[a-z2-7]{32,128}|(?:[A-Za-z2-7]{4}[ -]){3,31}[A-Za-z2-7]{4})"

RULES = (
    Rule(
        "totp",
        "totp",
        ("otpauth", "totp", "2fa", "mfa", "otp", "authenticator", "zwei-faktor", "two-factor", "oathtool"),
        rf"(?:otpauth(?:-migration)?://\S{{0,150}}?[?&](?:secret|data)=(?P<v1>[A-Za-z0-9%+/=]{{8,}})|"
        rf"oathtool\b[^\n]{{0,60}}?\s(?P<v2>{_B32})|[A-Za-z0-9_-]{{2,20}}[^\n]{{0,60}}?[ \t:=\"'`(](?P<v3>{_B32})(?![\w-]))",
        lambda value: len(set(value.lower())) >= 6,
        hits=("otpauth://totp/Acme:bob?secret=«{b32}»&issuer=Acme", "2FA seed: «{b16}»", "oathtool --totp -b «{b16}»"),
        misses=("TOTP is enabled for all users", "otp: 123456"),
    ),
    Rule(
        "recovery-codes",
        "code",
        (
            "recovery",
            "backup",
            "scratch",
            "emergency",
            "rescue",
            "one-time",
            "2fa",
            "mfa",
            "wiederherstellungs",
            "ersatz",
            "notfall",
            "codes de",
            "code de",
            "códigos de",
            "codigo de",
            "codici di",
            "kody zapasowe",
            "резервные коды",
            "备用代码",
            "恢复代码",
            "バックアップコード",
        ),
        find=_recovery,
        far="always",
        hits=("Recovery codes:\n«{n4}-{n4}»\n«{n4}-{n4}»\n", "backup code «{l3}4{l1}-{l5}»"),
        misses=("recovery codes are shown once", "backup: weekly"),
    ),
    Rule(
        "pin",
        "pin",
        ("pin", "puk", "cvv"),
        r"(?<![A-Za-z])(?:(?:PIN|PUK|CVV|[Pp]in[ -][Cc]ode|PIN-Code)(?:[ -]?[Cc]ode)?(?:[ \t]+(?:for|of|to|on|für|de|du|del|"
        r"at)[^\n\d.,]{1,40}?)?(?:[ \t]*[:=][ \t]*|[ \t]+(?:is|ist|lautet|est|es|è|now)[ \t]+|[ \t]+#?)|"
        r"[Pp]in[ \t]*[:=][ \t]*|[Pp]in (?:is|ist|lautet) )[\"'`*]{0,3}(?P<v>\d{4,8})(?![\d.%-]|[ \t]*(?:ms|s|px|MB|KB|digits|"
        r"tokens|errors|files|lines))",
        _digit,
        hits=("PIN for the vault is «{n4}»", "PIN: «{n4}»"),
        misses=("pin 4 of the chip", "PIN: 4 digits", "pinned to 2024"),
    ),
    Rule(
        "door-code",
        "pin",
        tuple(
            f"{place}{gap}{code}"
            for place in ("door", "gate", "alarm", "safe", "lock", "access", "entry", "garage", "vault", "sim", "voicemail", "screen")
            for gap in ("", " ", "-")
            for code in ("code", "pin", "combination")
        ),
        r"(?i:(?:door|gate|alarm|safe|lock|access|entry|unlock|garage|vault|sim|voicemail|screen(?: lock)?)[ -]?(?:code|pin|"
        r"combination)(?:[ \t]*(?:is|:|=|ist)[ \t]*|[ \t]+))[#*]?(?P<v>\d{4,8})(?![\d.%]|[ \t]*m?s\b|[ \t]+[a-z]{2,12}s\b)",
        _digit,
        hits=("the door code is «{n4}»", "alarm code «{n4}»"),
        misses=("safe code 1200 lines", "safe code is 12 lines", "access code: none"),
    ),
    Rule(
        "seed-phrase",
        "seed",
        ("mnemonic", *(f"{what} {form}" for what in ("seed", "recovery", "secret", "wallet", "backup") for form in ("phrase", "words"))),
        r"(?i:mnemonic|(?:seed|recovery|secret|wallet|backup) (?:phrase|"
        r"words))[^\n]{0,30}?(?:[:=\n>→]|[ \t](?:is|are|was|were|as))(?:(?<=[:=])|[\s\"'`])"
        r"[\s\"'`]{0,4}(?P<v>[a-z]{3,8}(?:[ \t]+[a-z]{3,8}){11,23})(?![\w])",
        hits=(
            "seed phrase: «{w5} {w4} {w6} {w5} {w3} {w5} {w6} {w4} {w5} {w7} {w5} {w4}»",
            "my wallet words are «{w5} {w4} {w6} {w5} {w3} {w5} {w6} {w4} {w5} {w7} {w5} {w4}»",
        ),
        misses=("the seed phrase is kept offline",),
    ),
    Rule(
        "app-password",
        "pw",
        tuple(f"{app}{gap}pass" for app in ("app", "application", "specific") for gap in (" ", "-", "_", "")),
        r"(?i:(?:app|application|specific)[ _-]?pass(?:word|wd|wort)?)[^\n:=]{0,40}?(?:[\"']?[ \t]*[:=]|[ \t]is)[\s\"'`]{0,3}"
        r"(?P<v>[a-z]{4}(?:[ -][a-z]{4}){3})(?![a-z])",
        lambda value: not PROSE.search(value),
        hits=("app password for gmail: «{w4} {w4} {w4} {w4}»", 'GMAIL_APP_PASSWORD="«{w4} {w4} {w4} {w4}»"'),
        misses=("app password: must have some text", "the app password is in the vault"),
        note="as Google issues it",
    ),
    Rule(
        "manifest",
        "secret",
        ("kind: secret", 'kind: "secret'),
        find=_manifest,
        far="always",
        hits=(
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\nstringData:\n  username: app\n  hmac: «{x64}»\n",
            "apiVersion: v1\ndata:\n  pepper: «UGVwcGVyLjQyMTc=»\n  user: YWRtaW4=\nkind: Secret\n",
        ),
        misses=(
            "kind: Secret\ndata:\n  mode: dev\n  pw: $PW\n",
            "kind: SecretStore\ndata:\n  a1: Zx81qq\n",
            "kind: Secret\ntype: Opaque\n",
        ),
    ),
    Rule(
        "wifi",
        "wifi",
        ("wifi", "wi-fi", "wlan", "ssid", "hotspot"),
        r"(?i:WIFI:(?:[STHR]:(?:\\.|[^;\\\n]){0,64};){0,4}P:(?P<v1>(?:\\.|[^;\\\n]){1,63});|(?:wi-?fi|wlan|ssid|"
        r"hotspot)[^\n]{0,60}?[ \t\"'-](?:key|code|pass\w{0,20}|pw|psk|schlüssel|clé|clave|kod)\"?[ \t]{0,8}(?:[:=]|is|"
        r"ist)[ \t]{0,8}[\"'`]?(?P<v2>[^\s\"'`,;]{8,63})|"
        r"(?:wi-?fi|wlan|ssid|hotspot)[\"']?[ \t]{0,8}(?:network|name)?[:=]?[ \t]{1,8}[\"'`]?[\w.-]{2,32}[\"'`]?[ \t]{0,8}[/|"
        r",][ \t]{0,8}[\"'`]?(?P<v3>[^\s\"'`,;]{8,63}))",
        lambda value: _key(value) and (strength(value) >= 2 or not value.isalpha()),
        hits=("WIFI:T:WPA;S:Home;P:«{a10}»;;", "WiFi: Guest / «{w6}.{w5}1»", "wlan key: «{w6}{n4}»", "WLAN-Schlüssel: «{n16}»"),
        misses=("WiFi: connected / disconnected", "wlan key: missing"),
    ),
    Rule(
        "netrc",
        "pw",
        ("machine ", "default login"),
        r"(?:machine[ \t]+\S{1,100}|default)\s{1,12}login\s{1,4}\S{1,100}\s{1,12}password\s{1,4}[\"']?(?P<v>[^\s\"']{3,200})",
        plausible,
        hits=("machine api.acme.io\n  login bob\n  password «{w9}»",),
        misses=("machine api.acme.io login bob", "machine x login y password <password>"),
    ),
    Rule(
        "pgpass",
        "pw",
        (":*:", ":5432:", ":5433:", ":6432:", ":5434:"),
        r":(?:\d{4,5}|\*):[\w*-]{1,60}:[\w*.@-]{1,60}:(?P<v>(?:\\.|[^\s\"'`\\:]){3,200})",
        plausible,
        hits=("db.acme.io:5432:app:bob:«{w6}{n3}»", "*:*:*:postgres:«{w6}{n3}»"),
        misses=("127.0.0.1:5432:5432", "arn:aws:iam::*:role"),
    ),
    Rule(
        "aws-secret",
        "aws",
        ("secret_access_key", "secretaccesskey", "secret access key", "secret-access-key"),
        r"(?i:secret[_ -]?access[_ -]?key)[^A-Za-z0-9/+\n]{1,12}(?P<v>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])",
        plausible,
        hits=("aws_secret_access_key = «{B40}»", '"SecretAccessKey": "«{B40}»"'),
        misses=("secret_access_key = $KEY", "the secret access key of the account"),
    ),
    Rule(
        "azure-connection",
        "azure",
        ("accountkey=", "sharedaccesskey=", "sharedsecretissuer"),
        r"(?i:accountkey|sharedaccesskey|sharedsecretvalue)=(?P<v>[A-Za-z0-9+/]{20,100}={0,2})",
        plausible,
        hits=("AccountName=x;AccountKey=«{B86}==»;EndpointSuffix=y",),
        misses=("AccountKey=<key>;",),
    ),
    Rule(
        "base64-key",
        "key",
        ("==",),
        r"(?<=[A-Za-z0-9+/]{4})==(?P<v>)(?!=)",
        lambda _value: True,
        left=r"(?<![A-Za-z0-9+/=-])(?<!h1:)[A-Za-z0-9+/]{86}",
        hits=("the old key was «{B86}==», revoked",),
        misses=("{B80}==",),
        note="64 bytes: an Azure storage or Cosmos key",
    ),
)
