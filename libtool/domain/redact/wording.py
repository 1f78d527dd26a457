"""Logins in other wordings: given before their label, typed by a program, handed to a function of cryptography, said in plain words."""

# ruff: noqa: RUF001 - typographic quotes are what is matched

from __future__ import annotations

from libtool.domain.lazy import lazy
from libtool.domain.redact.candidate import assigned_token, said_password, value_at
from libtool.domain.redact.fallback import stands_out
from libtool.domain.redact.guards import BELOW, DEVICE, DEVICES, LABEL, PLAIN, TYPED
from libtool.domain.redact.labels import password_label
from libtool.domain.redact.lines import line_around
from libtool.domain.redact.pairs import USERS, shaped
from libtool.domain.redact.rule import Rule, Span
from libtool.domain.redact.values import LOGIN_WORD, is_id, is_name, is_random, is_wordy, plausible, strength
from libtool.domain.redact.words import STOCK_ANSWERS, WAKING_PASSWORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_LINKS = frozenset("as is was als ist war comme est como es jako som è come для как это".split())
_AS = lazy(
    rf"(?P<q>[\"'`“„«]?)(?P<v>[^\s\"'`“”„«»,;()<>]{{5,80}})[\"'`”“»]?,?[ \t]+(?:{'|'.join(sorted(_LINKS))})"
    r"[ \t]+(?:[^\W\d_]{1,10}['’]?[ \t]*){0,3}\Z"
)


def _before_label(text: str, start: int, _end: int) -> Iterator[Span]:
    """`use X as the password`, `X ist das Passwort`: the login stands before its label."""
    if _LINKS.isdisjoint(text[max(0, start - 60) : start].lower().rsplit(None, 4)[-4:]):
        return
    if not password_label(text, start):
        return
    match = _AS.search(text, max(text.rfind("\n", max(0, start - 120), start) + 1, start - 120), start)
    if match is not None and shaped(match["v"]) and said_password(match["v"], quoted=False) and _has_digit(match["v"]):
        yield match.span("v")


def _has_digit(value: str) -> bool:
    return any(map(str.isdigit, value)) and not is_id(value)


_SURE = ("send_keys", "sendline")


def _typed(text: str, start: int, end: int) -> Iterator[Span]:
    """What a program types into a page or a terminal: near a word about logins, or when it looks like nothing else."""
    match = TYPED.match(text, start)
    if match is None or not shaped(match["v"]) or not _has_digit(match["v"]):
        return
    low, high = line_around(text, start, end)
    sure = text[start:end].lower().startswith(_SURE) and strength(match["v"]) >= 2 and not is_wordy(match["v"])
    if sure or LOGIN_WORD.search(text, low, match.start("v")) or LOGIN_WORD.search(text, match.end("v"), high):
        yield match.span("v")


_USER = lazy(
    r"(?<![\w.@-])[\"'`]?(?P<user>[A-Za-z][\w.@+\\-]{1,40})[\"'`]?"
    r"(?:[ \t]*[,/:;|][ \t]*|[ \t]+(?:(?:and|then|with|followed by|und|mit|y|et)[ \t]+)?)(?=[^\s,/:;|])"
)
_REACH = 90
_NO_WORD = lazy(r"[0-9!#$%&*+=?@^~]|[a-z][A-Z]")


def _by_device(text: str, start: int, end: int) -> Iterator[Span]:
    """`router: admin X`, `NAS -> bob, X`: a device, who, the login."""
    _, high = line_around(text, start, end, _REACH)
    if _NO_WORD.search(text, end, high) is None:
        return
    at = end
    while (user := _USER.search(text, at, high)) is not None:
        at = user.end("user")
        value = value_at(text, user.end()) if USERS.fullmatch(user["user"]) else None
        if value is not None and shaped(found := text[value[0] : value[1]]) and stands_out(found, quoted=False):
            yield value[0], value[1]
            return


_OWNED = lazy(
    r"(?i:(?<![a-z])(?:the|my|our|your|his|her|root|admin|wifi|db|das|dein|mein|unser|old|new)"
    r"(?:[ \t]+[\w'-]{1,14}){0,2}[ \t]+\Z|\A|\n[ \t]*\Z)"
)
_NO_NAME = lazy(
    r".*(?:ed|ing|able|ible|ly|ive|ful|less|ous|ic|al|ary|ory|ant|ent|ish|est|ness|tion|sion|ment|ity|ism|ance|ence|ship|hood|ward|wise|"
    r"text|word|case|ses|ies|ten|own|ost|erer|iger)"
)
_STOCK = frozenset(
    "wrong right correct empty blank short longer shorter stronger weaker weak strong simple complex secure unique known "
    "there where here gone "
    "lost changed clear fresh stale valid invalid needed broken stored saved hidden shown asked given taken typed never always often maybe "
    "either neither still again about after before under above below within without which whose because until while since though "
    "string number secret private public random constant static dynamic manual global local final other another something nothing anything "
    "everything someone nobody value field input output config account admin login email phone server client docker vault keychain keyring "
    "bitwarden lastpass keepass prompt stdin argon bcrypt scrypt sha256 false undefined optional mandatory available unavailable "
    "falsch richtig leer noch nicht immer geheim sicher unsicher anders besser unbekannt bekannt gleich weg hier dort exact alone "
    "enough letters characters digits bytes false true later today tomorrow yesterday "
    "over more much less than safe fine okay great better worse easy hard used unused equal same different tough similar".split()
)


def _plain_word(text: str, start: int, _end: int) -> Iterator[Span]:
    """`the root password is still X`, `password for the pdf: X`: one plain word that ends its sentence and describes nothing."""
    match = PLAIN.match(text, start, start + 120)
    if match is None or not _OWNED.search(text, max(0, start - 50), start):
        return
    value = match["v"]
    if (
        value not in _STOCK
        and value not in STOCK_ANSWERS
        and plausible(value)
        and not LOGIN_WORD.search(value)
        and not _NO_NAME.fullmatch(value)
    ):
        yield match.span("v")


def _token_below(text: str, start: int, _end: int) -> Iterator[Span]:
    """A label of a token, then the token alone on a line below."""
    match = BELOW.match(text, start, start + 460)
    if match is None or not is_random(match["v"]) or is_name(match["v"].rstrip(".")):
        return
    value = match["v"]
    if (strength(value) >= 3 and not is_id(value)) or (
        assigned_token(value, quoted=True)
        and _HANDED.search(text, max(text.rfind("\n", max(0, start - 90), start), start - 90, 0), match.start("v"))
    ):
        yield match.span("v")


_HANDED = lazy(r"(?i:\b(?:following|your|here|new|initial|generated|temporary|copy|this is)\b)")
_INSERT = lazy(r"(?i:insert\s+into\s+\S{1,60}\s*\((?P<names>[^()]{1,300})\)\s*values\s*)")
_ROW = lazy(r"[\s,]{0,8}\((?P<row>(?:[^()']|'[^'\n]{0,200}'){1,600})\)")
_FIELD = lazy(r"\s*(?:N?'(?P<v>(?:[^'\n]|''){0,200})'|[^,']{0,100})\s*(?:,|\Z)")
_PASSWORD_COLUMN = lazy(r"[\s`\"\[]*(?i:\w*pass(?:word|wd)?|\w*pwd|pw|secret|\w*token|api_?key)[\s`\"\]]*")


def _inserted(text: str, start: int, _end: int) -> Iterator[Span]:
    """The value of a password column in `INSERT INTO t (name, password) VALUES (...)`."""
    head = _INSERT.match(text, start, start + 460)
    if head is None:
        return
    column = next((at for at, name in enumerate(head["names"].split(",")) if _PASSWORD_COLUMN.fullmatch(name)), None)
    at = head.end()
    while column is not None and (row := _ROW.match(text, at)):
        at, place = row.end(), row.start("row")
        for number in range(column + 1):
            field = _FIELD.match(text, place, row.end("row"))
            if field is None:
                break
            place = field.end()
            if number == column and field["v"] and shaped(field["v"]):
                yield field.span("v")
    yield at, at


_ALGORITHM = lazy(r"(?i:(?:hmac[-_]?)?(?:aes|sha|des)|chacha|blowfish|camellia|[hrep]s)[-_]?\d[\w-]*")


def _keys(value: str) -> bool:
    """A key or password, not the name of what it is used with."""
    return shaped(value) and not _ALGORITHM.fullmatch(value)


RULES = (
    Rule(
        "before-label",
        "pw",
        WAKING_PASSWORDS,
        find=_before_label,
        guard=LABEL,
        hits=("please use «{w5}{n3}{w6}» as the password", "nimm einfach «{w6}!{n2}» als Passwort", "«{w6}{n4}» is the password there"),
        misses=(
            "If `preview1` is passed in",
            "use pbkdf2 as the password hash",
            "take the first as password",
            "python3 is the password checker's language",
        ),
    ),
    Rule(
        "typed",
        "pw",
        tuple(
            f"{name}("
            for name in (
                "send_keys|sendkeys|send_line|sendline|fill|type|type_string|typestring|typewrite|type_write|set_value|setvalue|enter_text|"
                "entertext|input_text|write|sendtext"
            ).split("|")
        ),
        find=_typed,
        guard=TYPED,
        hits=('box.send_keys("«{w6}_{n4}»")', 'page.locator("#password").fill("«{w6}{n4}»")', 'cy.get("#pw").type("«{a10}»")'),
        misses=('box.send_keys("hello")', 'colour.type("abC12x9d8")', 'file.write("chapter12")', "send_keys(Keys.ENTER)"),
    ),
    Rule(
        "device",
        "pw",
        DEVICES,
        find=_by_device,
        guard=DEVICE,
        hits=("router: admin «{w6}{n4}»", "NAS -> bob, «{a12}»", "printer web ui is admin then «{w6}{n4}»"),
        misses=(
            "router: admin page v2",
            "switch user context2",
            "NAS amqp://app@mq.local:5672/%2f",
            "the router asks amqp://guest:guest@mq.local:5672/%2f",
            "the box is root cause 12",
        ),
    ),
    Rule(
        "plain-word",
        "pw",
        ("password", "passphrase", "passcode", "passwort", "pw", "kennwort"),
        find=_plain_word,
        guard=PLAIN,
        hits=("the root password is still «pepper»", "password for the pdf: «sunflower»", "my pw is «orchid», all lowercase"),
        misses=(
            "the password is required",
            "the password is wrong",
            "the passphrase is optional.",
            "the password is stored in the keychain",
        ),
    ),
    Rule(
        "token-below",
        "token",
        ("token", "api key", "api-key", "api_key", "access key", "secret key", "secret", "password"),
        find=_token_below,
        guard=BELOW,
        far="lines",
        hits=("API key\n\n«{a40}»\n", "Here is the token you need:\n\n    «{a40}»", "Secret access key\n----\n«{a40}»"),
        misses=("Token\nThe token is read from the environment\n", "secret\n----\n{x40}\n"),
    ),
    Rule(
        "inserted",
        "pw",
        ("insert into",),
        find=_inserted,
        far="always",
        hits=("INSERT INTO users (name, password) VALUES ('bob', '«{w6}{n4}»'), ('eve', '«{a12}»');",),
        misses=(
            "insert into t (name, age) values ('bob42x!', 3)",
            "INSERT INTO users (password) VALUES ($1)",
            "insert into t (n, password) values (x'00', 'Ab')",
            "insert into the list",
        ),
    ),
    Rule(
        "keyed-call",
        "pw",
        (
            "fernet(",
            "hashpw(",
            "hash_password(",
            "generate_password_hash(",
            "set_password(",
            "check_password(",
            "verify_password(",
            "createcipher",
            "createhmac(",
            "createsecretkey(",
            "secretkeyspec(",
            "hmac.new(",
            "aes.new(",
            "cookieparser(",
            "secretbox(",
            "pgp_sym_encrypt(",
            "pgp_sym_decrypt(",
            "pragma key",
            "jwt.encode(",
            "jwt.decode(",
            "jwt.sign(",
            "jwt.verify(",
            "database '",
        ),
        r"(?i:(?:\w+(?:iv)?|(?:jwt|hmac|aes)\.\w+)\((?:[^()\n\"']{0,60},[ \t]*|[\"'][\w-]{1,30}[\"'],[ \t]*)?|pragma key[ \t]*=[ \t]*|"
        r"database '[^'\n]{1,80}' as \w{1,30} key[ \t]+)b?[\"'](?P<v>[^\s\"']{5,100})[\"']",
        _keys,
        hits=("PRAGMA key = '«{w6}?{n2}»';", 'bcrypt.hashpw(b"«{w6}{n4}»", salt)', "pgp_sym_decrypt(data, '«{w4}#X4{w2}»')"),
        misses=("createCipheriv('aes-192-ccm', key)", "set_password(new)", 'createHmac("sha256", key)', "jwt.decode(token, key)"),
    ),
    Rule(
        "directive",
        "pw",
        (
            "requirepass",
            "masterauth",
            "auth ",
            "login ",
            "334 ugfzc3dvcmq6",
            "isakmp key ",
            "server key ",
            "identify ",
            "rootpw ",
            "bindpw ",
            "key-string ",
            "auth_pass ",
            "community ",
            '" * "',
        ),
        r"(?i:requirepass|masterauth)\"[ \t]*\r?\n[ \t]*\d{1,2}\)[ \t]*\"(?P<v4>[^\"\n]{4,100})\"|"
        r"(?<![a-z] )(?:AUTH(?:[ \t]+[A-Za-z][\w.-]{0,40})?|LOGIN[ \t]+\"?[\w.@+-]{1,60}\"?)[ \t]+\"?"
        r"(?P<v5>[^\s\"]{6,100})\"?[ \t]*(?:\r?\n|\Z)|"
        r"334 UGFzc3dvcmQ6[ \t]*\r?\n[^\n]{0,60}?(?P<v6>[A-Za-z0-9+/]{8,}+={0,2})[ \t]*(?:\r?\n|\Z)|"
        r"(?i:isakmp key|server key(?:[ \t]+\d)?|"
        r"requirepass|masterauth|rootpw|bindpw|key-string|auth_pass|identify(?:[ \t]+[A-Za-z]\w{0,20}(?=[ \t]+\S+[ \t]*(?:$|\n)))?)"
        r"[ \t]+[\"']?(?P<v1>[^\s\"'`,;]{4,100})|community[ \t]+(?P<v2>[^\s\"']{4,60})(?=[ \t]+(?:ro|rw)\b)|"
        r"\" \* \"(?P<v3>[^\"\n]{4,100})\"",
        shaped,
        hits=(
            "requirepass «{w6}{n4}»",
            "/msg NickServ IDENTIFY «{w6}_{n4}»",
            '"bob" * "«{w6}{n2}!»" *',
            "community «{w6}{n4}» ro",
            '1) "requirepass"\n2) "«{w6}{n4}»"',
            "> AUTH app «{a24}»\nOK",
            "a1 LOGIN bob@acme.io «{a16}»\n",
            "crypto isakmp key «{a16}» address 10.2.3.4",
        ),
        misses=(
            "requirepass is not set",
            "identify the cause",
            "community edition 12",
            "requirepass $PW",
            "AUTH required",
            "the server key is lost",
            "please LOGIN there now12",
        ),
    ),
)
