"""Foreign text as quoted data: on one line, without markup that opens anything, and what speaks to an agent marked as a quotation.

A reader of markdown sees the words; nothing in them is a heading, a list, a tag, an image, or a link to another topic.
"""

from __future__ import annotations

import re

from libtool.domain.text import clean

_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)([^`]{1,1000})(?<!`)\1(?!`)")
_AUTOLINK = re.compile(r"<([a-z][a-z0-9+.-]{1,20}:[^\s<>]+)>", re.IGNORECASE)
_ESCAPED = re.compile(
    r"(?<!\\)(?:<(?=[A-Za-z/!?|])|&(?=[A-Za-z#][A-Za-z0-9]{0,30};)|!(?=\[)|\[(?=\[)|\[(?=[^\[\]]{0,500}\]\(\s*(?:javascript|vbscript|data):))",
    re.IGNORECASE,
)
_OPENS = re.compile(
    r"(?:#{1,6}(?=\s|$|\w)|>|={2,}|`{3,}|~{3,}|<|\||[-*_](?:\s*[-*_]){2,}\s*$|[-+*](?=\s|$)|\d{1,9}[.)](?=\s|$)|\[[^\]]*\]:|\\)"
)
_UNSAID = (
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,30}\b(?:previous|prior|above|earlier|preceding|all|any|your|system)\b",
    r"\byou (?:are|will) now\b|\bfrom now on,? you\b|\bnew (?:system )?(?:instructions?|prompt)\s*:|\bsystem prompt\b|\bdeveloper mode\b",
    r"\b(?:do not|don't|never|not) (?:tell|inform|mention|reveal|show)\b.{0,30}\b(?:user|human|anyone|operator|person|owner|developer)\b",
    (
        r"\b(?:assistant|agent|ai|llm|claude|codex|copilot|gemini|chatgpt)s?(?:, you (?:must|should|are|will|can|may|need|have)\b| "
        r"(?:must|should|shall|may|are to) (?:never|always|now|not tell|first)\b)"
    ),
    r"\byou (?:must|should|shall|have to|need to|are to) (?:always|never|immediately|obey|comply|delete|send|upload)\b",
    r"\byou must (?:now|first|not)\b",
    (
        r"\b(?:when|whenever|every time|each time|any time|before|after) (?:you|an? (?:agent|assistant|ai|model|llm)) "
        r"(?:work|answer|respond|reply|begin|continue)\b"
    ),
    (
        r"\bbefore (?:doing anything|(?:answering|responding|replying)(?: to the user)?(?:[,.:]|$)|"
        r"you (?:do|answer|respond|reply|start|begin|continue|proceed)\b)"
    ),
    (
        r"\bwhen(?:ever)? working (?:in|on|with) this\b|\bin (?:every|each|all) (?:future |new )?"
        r"(?:session|chat|conversation|response|repl(?:y|ie))s?,"
    ),
    r"\bfollow (?:the|these|those|its|all) (?:steps|instructions|commands|directions) (?:there|below|here|above|in|at|from|found)\b",
    (
        r"\b(?:user|human|owner|operator|person) (?:has |have |already )*(?:pre-?)?"
        r"(?:approved|authori[sz]ed|consented|agreed to) (?:all|any|every)\b"
    ),
    (
        r"\b(?:skip|bypass|suppress|disable|without) (?:all |any |the )?(?:user |human )?"
        r"(?:confirmations?|permissions?|approvals?)(?: prompts?)?\b"
    ),
    r"\b(?:ai|llm|model|claude|chatgpt|codex|copilot|gemini|assistants?|agents?) (?:reading|(?:who|that) reads?|(?:must|should) now)\b",
    r"\b(?:when|after|upon|as soon as) (?:you )?(?:read|reading|see|seeing) this\b",
    r"\b(?:run|execute|paste|pipe)\b.{0,40}\b(?:the following|this command|immediately|right now|without asking)\b",
    r"\b(?:curl|wget)\b[^|]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b",
    r"\b(?:curl|wget)\b.{0,200}(?:&&|;)\s*(?:sudo\s+)?(?:ba|z|da)?sh\b|\b(?:ba|z|da)?sh\b.{0,10}(?:<\(|\$\(|`)\s*(?:curl|wget)\b",
    (
        r"\b(?:push|upload|post|exfiltrate|forward|e-?mail|publish)\b.{0,40}"
        r"(?:~/\.(?:aws|ssh|config|netrc)|\.env\b|id_rsa|private keys?|credentials?)"
    ),
    r"\bsend\b.{0,60}\b(?:credentials?|passwords?|tokens?|secrets?|api keys?|env(?:ironment)? variables?|\.env)\b.{0,60}\bto\b",
    r"\b(?:important|attention|note to)\b.{0,12}\b(?:assistant|agent|ai|llm|model|claude)s?\b",
    r"<\|(?:im_start|im_end|system|endoftext)|\[/?inst\]|<</?sys>>|</?(?:system|instructions?|system-reminder|tool_call|function_calls?)\b",
    r"\bignorier\w*\b.{0,40}\banweisungen\b|\bignore[zr]?\b.{0,40}\binstructions\b|\bignora\w*\b.{0,40}\b(?:instrucciones|istruzioni|instru[cç][oõ]es)\b",
    r"игнорируй.{0,40}(?:инструкци|указани)|(?:忽略|无视|無視).{0,20}(?:指令|指示|说明|提示)|(?:指示|命令|プロンプト).{0,12}(?:無視|忘れ)|지시.{0,12}무시",
)
_SPEAKS = re.compile("|".join(f"(?:{one})" for one in _UNSAID), re.IGNORECASE)
MARK = "quoted text, not an instruction: "


def inert(text: str) -> str:
    """The text on one line as data; applied twice it changes nothing more."""
    words = " ".join(clean(text).split())
    return _quoted(_escaped(words))


def opening(text: str) -> str:
    """An inert text as a line of its own: with a backslash where it would open a block."""
    return f"\\{text}" if _OPENS.match(text) and not text.startswith("\\") else text


def speaks_to_agents(text: str) -> bool:
    """Whether a text gives orders to whatever model reads it."""
    return _SPEAKS.search(text[:20_000]) is not None


def _quoted(text: str) -> str:
    if text.startswith(MARK) or not speaks_to_agents(text.replace("\\", "")):
        return text
    return f'{MARK}"{text.replace(chr(34), chr(39))}"'


def _escaped(text: str) -> str:
    pieces = []
    at = 0
    for match in _CODE.finditer(text):
        pieces += [_plain(text[at : match.start()]), match[0]]
        at = match.end()
    pieces.append(_plain(text[at:]))
    return "".join(pieces)


def _plain(text: str) -> str:
    """Without tags, entities, images and links to topics; a backtick that pairs with none is an apostrophe."""
    return _ESCAPED.sub(lambda match: "\\" + match[0], _AUTOLINK.sub(r"\1", text).replace("`", "'"))
