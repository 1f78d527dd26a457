"""What stands between a label and its value: signs, verbs, brackets, quotes as JSON, HTML and URLs encode them, lines."""

# ruff: noqa: RUF001 - full-width punctuation and typographic quotes are what is matched

from __future__ import annotations

from libtool.domain.lazy import lazy
from libtool.domain.redact.candidate import value_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_CLOSE = (
    r"(?:\\{0,7}[\"'`*_\])}”»」』]|\\u0022|&(?:quot|apos|#34|#39);|%(?:2[27]|5D)|</?(?:b|strong|code|td|th|em|i|dt|label|span)>|"
    r"</[A-Za-z]{1,12}>|[ \t]?[(（\[][^()\n\[\]]{0,40}[)）\]])*"
)
_OPEN = (
    r"[*_]{0,3}[ \t]*(?:!!str[ \t]+)?(?:\\u0022|&(?:quot|apos|#34|#39);|%2[27])?"
    # What makes bytes, a key or an object of the text in its brackets: `String::from("X")`, `Buffer.from('X', 'hex')`, `b"X"`.
    r"(?:(?:(?:new[ \t]+)?(?:String(?:::from|::new)?|str|bytes|bytearray|\[\]byte|Buffer\.from|TextEncoder\(\)\.encode|Some|"
    r"Secret\w*(?:::new)?|unhexlify|atob|(?:\w{1,20}\.){1,3}(?:parse|fromhex|from_hex|encode|b64decode|decode64|of|FromBase64String|getBytes|GetBytes))"
    r"\([ \t]*)?[bBrRuUfL@]{0,2}(?=\\{0,7}[\"']))?"
)
_QUOTE_NEXT = r"(?=\\{0,7}[\"'])"
_SIGNS = "|".join(
    (
        r"(?:[ \t]+[\w:-]{1,30}=\"[^\"<>\n]{0,120}\"){1,4}>",  # <password type="plain">X
        rf":[ \t]*(?:&(?:'static[ \t]+)?)?[\w.<>\[\]|?]{{1,30}}[ \t]*=[ \t]*{_QUOTE_NEXT}",  # password: String = "X"
        r":=|=>|--?>|→|⇒|[:=：＝]{1,3}|\?=|\+=|%3[AD]",
        r">(?=[^\s<>]+</)",  # <password>X</password>
        r">?\s*<(?:td|dd|string|value)(?:[ \t][^<>\n]{0,60})?>(?=[^\s<>]+</)",  # <td>Password</td><td>X</td>, <key>Password</key> <string>X
    )
)
_ARGUMENT = "|".join(
    (
        rf"[\"']\s*,\s*(?:[\"']?(?i:value|default)[\"']?\s*[:=]\s*)?{_QUOTE_NEXT}",  # define('PW', 'X'), "name": "PW", "value": "X"
        rf"(?<=[\"'])\s*,?\s*(?i:value|content)\s*=\s*{_QUOTE_NEXT}",  # key="PW" value="X"
        r"[\"']?[ \t]*\r?\n[ \t-]*[\"']?(?i:value)[\"']?[ \t]*[:=](?=[ \t])",  # - name: PW / value: X
        rf":?[ \t]*\{{[^{{}}]{{0,160}}?\b(?i:default|value)[\"']?[ \t]*[:=][ \t]*{_QUOTE_NEXT}",  # variable "pw" { default = "X" }
        r":[ \t]*(?:\r?\n[ \t]+\w{1,20}:[^\n]{0,60}){0,3}\r?\n[ \t]+(?i:default|value):(?=[ \t])",  # PW: / Type: String / Default: X
    )
)
_BELOW = r"(?:[|>][+-]?(?=[ \t]*\r?\n))?(?P<nl>(?:\\?[ \t]*(?:\r?\n|\\r\\n|\\n)){1,3}[ \t>]*)?(?:[-*•] )?"
ASSIGN = lazy(rf"{_CLOSE}[ \t]*(?:(?P<arg>{_ARGUMENT})|{_SIGNS}){_OPEN}{_BELOW}{_OPEN}")
WORD_NEXT = lazy(r"[.,;!]|\Z|[ \t]{1,8}[A-Za-z]{1,30}+[ .,\n]")
"""The sentence goes on or ends behind the label, which assigns nothing then. Most do, and `ASSIGN` is dear to compile."""
_VERBS = (
    r"(?:is|was|are|be|becomes|now|to|as|ist|lautet|lauten|war|sind|est|sont|es|son|era|c'est|blir|fue|é|è|são|jest|brzmi|je|är|er|on|olan|"
    r"adalah|ialah|là|zijn|это|такой|будет|равен|είναι|este|van|ole|yra|ir)(?!\w)|הוא|היא|هي|هو|है|คือ"
)
VERB = lazy(
    rf"{_CLOSE}(?:[ \t]+|(?=['’]s ))(?:(?:now|still|currently|again|actually|nun|jetzt|ahora)[ \t]+)?(?i:{_VERBS}|"
    rf"['’]s)(?:[ \t]+(?:now|set to|changed to|nun))?[:：]?[ \t]*(?P<nl>\n[ \t\n]{{0,12}})?{_OPEN}"
)
FAR = lazy(rf"(?:[ \t](?i:{_VERBS}|from|says|reads|gave|:|=|--?>|→)|[:=])[:：]?[ \t]+{_OPEN}")
UNDER = lazy(r"[*_`]{0,3}[ \t]*\r?\n[ \t]*")
NEXT = lazy(rf"{_CLOSE}(?:[ \t]+|(?=\|))(?:(?:--?>|[-–—|/]{{1,2}}(?=[ \t\"'`])|\|)[ \t]*)?{_OPEN}")
ASCII = lazy("[!-~]*")
EAST = lazy(r"[ \t]*+(?:は|が|を|是|为|為|改为|设为|就是|은|는|이|가|:|：|=|＝)?[ \t]*+(?=[\"'`「『“]?[!-~])")
_IN_URL = lazy("%[235][27AD]")
_URL_END = lazy("%(?:2[267C]|5D|7D|0[AD])")
THEN = lazy(
    r"\\{0,7}[\"'`]?(?:[ \t]*(?:->|→|⇒)[ \t]*|[ \t]+to[ \t]+|[ \t]*[,;.]?[ \t]+(?:and[ \t]+|but[ \t]+)?"
    r"(?:the[ \t]+)?(?i:new|old|other|current|previous|latest)"
    r"[ \t]+(?i:one|pass\w*|pwd?)?(?:[ \t]*(?:[:=]|is|was|ist|war)(?=[ \t]))?[ \t]*)"
)


def value_behind(text: str, sign: re.Match[str]) -> tuple[int, int, bool] | None:
    """The value behind what assigns it; in a text that is encoded as a URL is, up to the quote, comma or ampersand that ends it there."""
    value = value_at(text, sign.end())
    if value is None or _IN_URL.search(sign[0]) is None or (stop := _URL_END.search(text, *value[:2])) is None:
        return value
    return (value[0], stop.start(), value[2]) if stop.start() > value[0] else None
