"""Is this value a login at all? Placeholders, references, identifiers, ids and paths are not; what is left has a shape.

These filters decide precision as much as the patterns decide recall: every context rule passes its candidate through here.
"""

from __future__ import annotations

import re
from functools import lru_cache

from libtool.domain.lazy import lazy
from libtool.domain.redact.references import REF

LOGIN_WORD = lazy(
    r"pass(?:word|wd|phrase|code|wort)|passw|\bpass\b|(?<![a-z])pwd|(?<![a-z])pw(?![a-z])|secret|token|credential|api.?key|"
    r"auth(?!or)|login|"
    r"private.?key|access.?key|signing.?key|session.?(?:id|key)|bearer|cookie",
    re.IGNORECASE,
)

_PLACEHOLDER = lazy(
    r"""
    [xX*•●·.…_#-]{3,}$ | (.)\1{3,}$ | [xX]{4,} | .*(?:[xX]{5,}|\*{3,}|•{2,}|\.\.\.|…) |
    <.* | \{.* | \[.* | %[A-Z_]+%$ | %\(.* | .*%[sd](?![A-Za-z0-9]).* | __[A-Z0-9_]+__$ | \#\{.* | ["']{2} |
    (?:.*[_\W])?(?i:your|my|some|the|insert|enter|replace|change|put|paste|set|use|new|old)[_\s-]?(?:own|actual|real|new)?[_\s-]?
        (?:pass\w*|secret\w*|token\w*|key\w*|api\w*|pw|pwd|cred\w*|auth\w*|value|login|here|me|this|it|db|super|strong|secure|
        github|openai|access|client)
        (?:[_\W].*)?$ |
    .*[_-](?:here|placeholder|goes[_-]here)\b | (?i:your)[_-].* | .*(?:EXAMPLE|[Ee]xample|EXAMBLE|do-not-use).* | (?:Big)?(?:Uint|Int|
    Float)\d+\w*$ | .*REDACTED.* | .*PLACEHOLDER.* | .*(?:placeholder|redacted|dummy).* |
    change[_-]?(?:me|it|this).* | (?:INSERT|ENTER|REPLACE|CHANGE)[_-].* | (?:foo|bar|baz|qux|quux)+\d*$ |
    .*\{\w*\}.* | (?:[a-z_.-]+|[A-Z_.-]+|[a-z]+(?:[A-Z][a-z]+)+)=$ | .*(?:0123456|1234567|abcdefg|ABCDEFG|deadbeef|cafebabe).*
    """,
    re.VERBOSE | re.DOTALL,
)

_NOT_VALUES = frozenset(
    """
    true false yes no on off none null nil undefined empty blank void default required optional any all unknown missing invalid valid
    incorrect wrong expired correct enabled disabled hidden masked encrypted hashed plain plaintext plain-text clear prompt
    interactive stdin
    string str int integer number bool boolean bytes object array list dict map text varchar char text-plain secretstr secretbytes
    optional[str]
    password passwd pass pwd pw passphrase passcode secret secrets token tokens key keys apikey api_key api-key credential
    credentials creds login user
    username admin root test tests testing example examples sample demo dummy fake mock foo bar baz foobar placeholder changeme
    change_me redacted
    todo tbd fixme xxx n/a na not is are was the a an and or of to for in with your my our this that it its be will must should can
    may if when
    here there see read write get set same self value values name type basic bearer digest negotiate oauth oauth2 jwt saml oidc sso
    ldap mtls
    ok okay done failed fail passed success error var env file path id uuid hash md5 sha1 sha256 sha512 bcrypt argon2 argon2id
    scrypt base64 utf8 utf-8 hex
    github gitlab google azure aws vault keychain keyring bitwarden 1password email phone sms totp otp mfa 2fa pin local remote
    public private
    manager policy reset field prompt-only inherit inherited auto automatic generated random rotated revoked stored unset via from through
    manual static session cookie header query body form client server code manually again first only also already never always
    change login. username/password user/password user/pass username:password user:password user:pass
    """.split()
)

_REFERENCE = lazy(
    r"""
    \$[\w({:$\[] .* | \$$ | \{\{ .* | @\w+[({].* | @[\w./-]*/[\w./-]*$ | @[\w-]+\.[a-z]{2,5}$ | \w*(?:KeyRef|SecretRef|secretName|
    valueFrom) | \#\{.* | &[A-Za-z][\w.]*[;{(]{0,2} |
    !(?:vault|ref|sub|secret|env|getatt|join|include|decrypted)\b.* |
    (?:op|ssm|vault|secret|secrets|secretsmanager|arn|gcp|sm|awssm|awskms|kms|keyring|env|file|akv|bw|doppler|pass|keychain|azurekv|
    sops|ref|ref\+\w+|resolve|
        projects|http|https|urn|data|cmd|exec|command|prompt|stdin|fd|fromenv):(?:[/\w].*|$) |
    (?:process|import\.meta|deno|bun)\.env\b.* | os\.(?:environ|getenv)\b.* | System\.(?:getenv|getProperty).* | Environment\..* |
    std::env.* |
    (?:ENV|env|getenv|secrets?|vars?|data|var|local|locals|config|cfg|conf|settings|props|this|self|options|opts|args|params|
    request|req|res|response|ctx|context|
        module|each|outputs|inputs|steps|github|matrix|needs|session|state|user|client|app|input|form|payload|body|event|obj|result|
        record|row|item|values?)
        (?:\.|\[|\().* |
    [A-Za-z_][\w.:>-]*\(.* | [A-Za-z_]\w*(?:\[['"\w:-].*|::.*|->.*) | \w+!\(.* | `.* | \\\$.* | \|.* | =>.* | \(.* | .*\][(\[].* |
    .*[/=]\$\{?[A-Z].* | [a-z_]{3,}=(?:True|False|None|true|false|null|\d+)
    """,
    re.VERBOSE | re.DOTALL,
)

_ID = lazy(
    rf"""
    {REF} |
    [0-9a-fA-F]{{8}}-(?:[0-9a-fA-F]{{4}}-){{3}}[0-9a-fA-F]{{12}} | [0-9a-f]{{7,12}} | [0-9a-f]{{40}} | [0-9a-f]{{64}} | [0-9a-fA-F]{{32}} |
    [0-9a-f]{{56}} | [0-9a-f]{{96}} | [0-9a-f]{{128}} |
    (?:(?:AWS4|HMAC|SHA\d{{0,3}}|AES\d{{0,3}}|RSA|ECDSA|ECDHE?|DHE|PBKDF2|GCM|CBC|CTR|POLY1305|CHACHA20|TLS|WITH|OAEP|PSS|PKCS\d?|ED\d+|MD5|
    \d{{2,4}})(?:[-_/]|$))+ |
    (?i:(?:cn|uid|ou|dc|o)=[^,=]{{1,60}}(?:,[ ]?(?:cn|uid|ou|dc|o|c)=[^,=]{{1,60}})+) |
    [0-9A-HJKMNP-TV-Z]{{26}} | (?:sha\d+|md5|h1)[-:][\w+/=-]+ |
    (?:toolu|msg|req|call|chatcmpl|resp|rs|fc|srvtoolu|run|step|thread|asst|file|batch|ses|prt|evt|cus|sub|prod|price|pi|ch|in|acct|
    wh|org|proj|user|usr|agent|task|item|ctc|ws|session|cse|env)_[A-Za-z0-9_-]+ |
    \d{{4}}-\d\d-\d\d(?:[T ].*)? | \d\d?:\d\d(?::\d\d)?.* | v?\d+(?:\.\d+)+(?:[-+.]?[\w.+-]*)? | [~^>=<]+\d[\w.*-]* |
    [-+]?[\d.,_]+(?:e[-+]?\d+)?(?:%|[a-zA-Z]{{1,4}})? | 0x[0-9a-fA-F]+ | (?:arn:)?aws[\w-]*:.* | urn:.* | \d{{8}}T\d{{6}}Z?.* |
    [A-Z]{{2,10}}-\d+(?:-\d+)* |
    (?:AC|SM|MM|CA|PN|MG)[0-9a-f]{{32}} | ttys?\d+ | [A-Z][A-Z0-9]{{0,9}}(?:_[A-Z0-9]{{1,9}})+ | \#?[0-9a-fA-F]{{6}} |
    \d{{1,3}}(?:\.\d{{1,3}}){{3}}(?:[:/]\d+)? | [\w.+-]+@(?:[a-z0-9-]+\.)+[a-z]{{2,}} | [\w.-]+/[\w.-]+@[\w.-]+ |
    [a-z][a-z0-9+.-]*://.* | data:.* |
    [\w.-]+\.(?:com|org|net|io|dev|local|internal|lan|edu|gov|co|ai|app|cloud|home|corp|test|example|localhost)(?::\d+)?(?:/.*)? |
    localhost(?::\d+)?(?:/.*)? |
    [\w-]+/[\w.-]+\.\w{{1,5}} |
    [\w@.+/-]*[\w-]\.(?:py|js|ts|tsx|jsx|mjs|cjs|go|rs|rb|java|kt|c|h|cc|cpp|hpp|cs|php|sh|bash|zsh|ps1|md|rst|txt|json|jsonl|toml|
    yaml|yml|xml|html|css|scss|sql|lock|log|cfg|conf|ini|env|pem|key|crt|cer|p12|pfx|pub|csv|png|jpg|jpeg|gif|svg|pdf|zip|gz|tgz|
    tar|whl|exe|dll|so|db|sqlite|tf|tfvars|vue|svelte|ex|exs|swift|m|mm|proto|lua|pl|r|ipynb|bak|tmp|d|o|a|gpg|asc|age|kdbx|
    jks)(?::\d+)*(?:[-:#]\S*)?
    """,
    re.VERBOSE,
)

_PATH = lazy(r"(?:\.{0,2}|~|[A-Za-z]:)[/\\][\w.@%+ \\/~-]*|[\w@.+-]+(?:/[\w@.+-]+){2,}/?")
_FOLDER = lazy(r"[a-z0-9._@~-]+")

# Words with digits that stand in ordinary prose about computers.
_WORD_NUMBER = lazy(
    r"(?:utf|sha|md|base|ipv|int|uint|float|python|py|node|es|ec|oauth|http|h|v|step|phase|test|user|client|server|host|web|x|arm|"
    r"amd|i|log|win|windows|"
    r"version|port|issue|pr|bug|task|part|case|line|col|page|level|layer|item|file|key|var|arg|param|option|col|row|day|week|q|fy|"
    r"p|s|r|k|n|m|t|a|b|c|d|e|"
    r"s3|ec2|k8s|i18n|l10n|a11y|e2e|b2b|p2p|ssh|tls|ssl|rsa|ed|aes|gpt|claude|gemini|llama|o|qwen|sonnet|opus|haiku|turn|session|"
    r"agent|chapter|section|figure|table|"
    r"example|demo|foo|bar|node|worker|shard|replica|db|database|app|service|svc|srv|prod|stage|dev|env|build|job|run|stack|"
    r"cluster|region|zone|east|west|north|south|"
    r"password|passwd|pass|pwd|secret|token|login|admin|root|name|value|field|group|team|feature|release|rc|alpha|beta|gamma|delta|"
    r"round|lesson|unit|"
    r"bcrypt|argon|pbkdf|blowfish|crc|mp|h|vp|latin|cp|iso|ascii|ansi|c|java|vue|angular|react|bootstrap|postgres|postgresql|mysql|"
    r"redis|ubuntu|debian|"
    r"centos|fedora|rhel|macos|ios|android|chrome|firefox|safari|fig|exit|code|error|http|status|method|func|function|class|type|"
    r"mode|stat|ext|fat|ntfs|"
    r"usb|hdmi|wifi|lte|gpu|cpu|ram|ddr|gen|rev|ver|top|max|min|log|exp|sin|cos|vec|mat|conv|lstm|bert|resnet|yolo|gcc|clang|llvm|"
    r"jdk|jre|lib|tmp|out|in|abc|xyz|"
    r"commit|branch|tag|hash|id|num|no|nr|chunk|block|batch|epoch|iter|loop|thread|pid|uid|gid|tty|eth|wlan|en|lo|sda|sdb|nvme|"
    r"disk|vol|vm|pod|net|sub|lan|vlan|"
    r"oauth2|web3|log4j|neo4j|auth0|1password|pkcs|x509|rfc|pep|cve|ieee|din|en|ean|isbn)[-_.]?v?\d{1,4}(?:\.\d+)*[a-z]{0,3}",
    re.IGNORECASE,
)

_PART = lazy(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^A-Za-z0-9]+")
_SEPARATORS = frozenset("_-. /:")
_LONGEST_WORD = 64
_VOWEL = lazy(r"[aeiouyAEIOUY]")
_FOREIGN = lazy(r"[^\W\d_a-zA-Z]")
_LOWER = lazy(r"[a-z\u00df-\u00ff\u0430-\u044f]")
_UPPER = lazy(r"[A-Z\u00c0-\u00de\u0410-\u042f]")
_DIGIT = lazy(r"\d")
_CONSONANTS = lazy(r"(?!.*(?:ngth|ghts|tchs|rchs|mpts))[b-df-hj-np-tv-xz]{4,}|[B-DF-HJ-NP-TV-XZ]{4}")
_TERSE = frozenset(
    (
        "http https html xhtml mysql ctrl mgmt mkdir grpc mdns prng rsync kbps mbps hdfs xlsx bcrypt vscode ssh tls "
        "ssl css xml sql dns tcp udp ftp "
        "gpg pgp rsa aws gcp ddb rds kms sns sqs cfg ctx msg str ptr src dst tmp pkg lib std buf len cmd prj mgr svc "
        "srv pwd psw hdr btn txt img png jpg svg pdf csv "
        "jwt nlp gpt llm tsx jsx npm pnpm php vpn ldap smtp imap dhcp cdn crm erp cms sdk jdk jvm jsp mvc orm rgb cmyk "
        "fps kb mb gb tb ms ns db"
    ).split()
)
_SHORT = frozenset(
    (
        "by id to is of in on at my db ip os ui io url no do go up it an as be or if we us me he so am pm ok js ts py "
        "rb rs cs kt md tz vm pr ci cd qa s t v x y a b c n i k"
    ).split()
)
_SYMBOL = lazy(r"[!#$%&*+=?@^~]")
_EDGES = "*_~+>#|.,:;!?'\"`()[]{}-\u2026\u201c\u201d\u2019"


def is_placeholder(value: str) -> bool:
    """An example, a mask, a word that stands where a login would: `your-api-key`, `<token>`, `********`, `changeme`, `sk-...`."""
    return value.strip("\"'`@.,:;").lower() in _NOT_VALUES or _PLACEHOLDER.match(value) is not None


def is_reference(value: str) -> bool:
    """Names where the login is kept instead of giving it: `$PW`, `${{ secrets.X }}`, `os.environ[...]`, `vault.read(path)`, `op://...`.

    A turn of a session, as entries cite it, is one too: `claude-code:3f2a9c1e#41` behind "rotate the password" gives no password.
    """
    return _REFERENCE.fullmatch(value) is not None or _TURN.fullmatch(value) is not None


def is_id(value: str) -> bool:
    """A public identifier: SHA, UUID, ULID, an agent's ids, date, version, number, address, host, URL, path, file name."""
    return _ID.fullmatch(value) is not None or (_PATH.fullmatch(value) is not None and _is_path(value))


def _is_path(value: str) -> bool:
    """Whether at least half of the parts between slashes are what folders are called; those of base64 are not."""
    parts = [part for part in re.split(r"[/\\]", value) if part]
    named = sum(_FOLDER.fullmatch(part) is not None or is_wordy(part) or _ID.fullmatch(part) is not None for part in parts)
    return named * 2 >= len(parts)


@lru_cache(maxsize=4096)
def is_wordy(value: str) -> bool:
    """Made of words as an identifier is (`user_password`, `getToken`, `data.value`), with at most a short number behind."""
    parts = _PART.findall(value if value.isascii() else _FOREIGN.sub("a", value))
    words = [p for p in parts if p[0].isalpha()]
    for part in parts:
        if not part[0].isalnum() and not set(part) <= _SEPARATORS:
            return False
    digits = [p for p in parts if p[0].isdigit()]
    if not words or len(digits) > 1 or (digits and (len(digits[0]) > 1 or parts[-1] is not digits[0])):
        return False
    odd = sum(not _is_word(word) for word in words)
    return odd * 5 < len(words) * 2 and sum(map(len, words)) >= 2.5 * len(words)


def names_login(value: str) -> bool:
    """An identifier about logins, as `user_password` and `userPassword2FA` are."""
    if LOGIN_WORD.search(value) is None:
        return False
    return is_wordy(value) or (sum(map(str.isdigit, value)) == 1 and is_wordy("".join(one for one in value if not one.isdigit())))


def _is_word(part: str) -> bool:
    """Could be read aloud, or is a short form that names are made of."""
    if len(part) <= 2 or part.lower() in _TERSE:
        return part.lower() in _SHORT or len(part) > 2
    # No word is longer, and each of its letters would be asked about all that follow.
    part = part[:_LONGEST_WORD]
    return _VOWEL.search(part) is not None and _CONSONANTS.search(part) is None


@lru_cache(maxsize=8192)
def strength(value: str) -> int:
    """How much like a login a value looks by itself.

    0 a number, id, path, or an identifier about logins; 1 words only; 2 letters with digits or symbols; 3 no one writes that by chance.
    """
    if len(value) < 4 or is_id(value):
        return 0
    lower, upper = _LOWER.search(value) is not None, _UPPER.search(value) is not None
    digit = _DIGIT.search(value) is not None
    # Punctuation around a word is its sentence's or Markdown's, unless there is a digit too.
    symbol = _SYMBOL.search(value if digit else value.strip(_EDGES)) is not None
    if not (lower or upper):
        return 2 if symbol and digit and len(value) >= 6 else 0
    if _WORD_NUMBER.fullmatch(value):
        return 1
    if is_wordy(value):
        return 2 if digit and not LOGIN_WORD.search(value) else 1
    return _mixed(value, lower + upper + digit + symbol, digit=digit)


def _mixed(value: str, kinds: int, *, digit: bool) -> int:
    """Strength of a value that is not made of words, from its kinds of characters and how often they change."""
    switches = _switches(value)
    if (kinds >= 3 and len(value) >= (7 if digit and _SYMBOL.search(value) else 8)) or (
        kinds == 2 and digit and len(value) >= 12 and switches >= 4
    ):
        return 3
    if kinds < 2:
        return 1
    if digit or _SYMBOL.search(value.strip(_EDGES)):
        return 2
    if switches < 3 or len(value) < 8:
        return 1
    return 3 if len(value) >= 12 and switches >= 5 else 2


def _switches(value: str) -> int:
    """How often letters, digits and cases follow one another: random text changes often, words seldom."""
    return len(_PART.findall(value)) - 1


@lru_cache(maxsize=4096)
def is_random(value: str) -> bool:
    """Shaped like an issued token: at least 16 characters, letters and digits mixed, not words."""
    if len(value) < 16 or is_wordy(value) or is_placeholder(value):
        return False
    letters = sum(c.isalpha() for c in value)
    digits = sum(c.isdigit() for c in value)
    varied = digits >= 2 or _switches(value) * 4 >= len(value)
    return letters >= 4 and varied and len(set(value)) >= 8


_TURN = lazy(r"[a-z][a-z0-9]{1,20}(?:-[a-z0-9]{1,20}){0,3}:[\w/-]{6,80}#\d{1,6}")
_DOTTED = lazy(r"[A-Za-z_]\w{0,30}(?:\.[A-Za-z_]\w{0,30})+|(?:[a-z]+\d?_){2,}[a-z]+\d?")


def is_name(value: str) -> bool:
    """Written as a name in code is: `module.Class`, `a_long_option`."""
    return _DOTTED.fullmatch(value) is not None


def plausible(value: str) -> bool:
    """Neither placeholder nor reference: what a login of any strength must be."""
    return bool(value) and value.isprintable() and "\ufffd" not in value and not is_placeholder(value) and not is_reference(value)


def decoded(value: str) -> str:
    """The printable text that a value is in Base64; empty when it is none."""
    import base64  # noqa: PLC0415 - seldom needed

    try:
        text = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode()
    except ValueError:
        return ""
    return text if text.isprintable() else ""
