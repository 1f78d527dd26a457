"""The patterns by which the lines of a message are known, and what is taken off them."""

from __future__ import annotations

import re

HEADING = re.compile(r"#{1,6}\s+(.*)")
ITEM = re.compile(r"(?:[-*+\u2022]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)")
CITE = r"\([a-z][a-z-]{1,20}:[0-9A-Za-z_-]{6,80}(?:#\d{1,9})?\)"
END = re.compile(
    rf"(?<=[.!?;])[\"')]{{0,2}}\s+(?!{CITE})(?=[\w`\"'(*])|(?<=[\u3002\uff01\uff1f\uff1b])|\s[\u2014\u2013]\s|"
    r"(?<=[a-z]\.)(?=[A-Z][a-z]{2,}ing\b)"
)
ENDS = frozenset(".!?;\u3002\uff01\uff1f\uff1b\u2014\u2013")
"""Without any of these before its last character a line is one sentence."""
MARKS = re.compile(r"\*\*|__|`|^(?:\s?>)+\s?|^\|\s*|\s*\|$")
MARKED = frozenset("*_`>|")
LINK = re.compile(r"!?\[([^\]\n]{0,300})\]\(([^)\s]{0,500})\)")
CELLS = re.compile(r"\s*\|\s*")
OPENERS = re.compile(
    r"(?:(?:now(?! that)|next|then|so(?! that| far)|ok(?:ay)?|great|good|perfect|excellent|alright|first|finally|also|all done|done|"
    r"yes|right|sure)\b[,.!:]?\s*|(?:there (?:is|are)|it (?:is|was)|we (?:need|have) to|i(?:'ll| will| need to)|let me|let's)\s+)+"
)
WEAK = re.compile(
    r"(?<![^\s(\"'])(?:the|an?(?! (?:second|minute|hour|day|week|month|year)\b)|currently|simply|just|actually|basically|properly|"
    r"correctly|successfully|please|existing|in order(?= to))\s+"
)
"""Words that a note does without: every byte of a digest is paid for by the agents that read it."""
FILE = r"[\w@~./\[\]-]*\w\.[A-Za-z]{1,5}"
LED = re.compile(
    r"(?:\d{1,2}[.)]\s+)?(?:(?:in|(?:new )?files?|modify|modified|edit|updated?|created?|new|path|location|(?:file )?to modify)\b:?\s+)?"
    rf"\[?({FILE})(?::\d[\d,\u2013-]*)?\]?(?:\([^)\s]*\))?(?:\s*\([^()]{{0,60}}\))?(?:\s*[:\u2014\u2013,|]\s*|\s+-+\s+|\s*$)(.*)",
    re.IGNORECASE,
)
"""A line that begins with the file it is about."""
NAMED = re.compile(r"(?<![\w@/.-])(?:[\w@.-]+/)*[\w-][\w.-]*\.[a-z]{2,4}\b(?![\w/.(])")
"""A file within a line."""
PLACE = re.compile(
    r"(?<=\w)(\.(?!com\b|org\b|net\b|io\b|dev\b|local\b)[A-Za-z]{1,5}):\d+(?:[-\u2013]\d+)?(?!\w)"
    r"|^lines? \d+(?:\s?[-\u2013]\s?\d+)?$"
    r"|\s\((?:around |at |near |~)*(?:lines?|L) ?~?\d[^()]{0,40}\)|,? (?:at|around|on|near) lines? ~?\d+(?:[-\u2013]\d+)?"
)
"""Numbers of lines: the next commit makes them wrong."""
LOGGED = re.compile(
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d{1,2}:\d\d:\d\d\b|(?:\u279c|\u276f|[$%]|>>>|\.\.\.) |at \S+ \(?\S+:\d+|"
    r"(?:npm|info|warn|warning|debug|trace|notice)\b[: ]+\W|[\w.-]+@[\w.-]+[:~ ]\S*[$#%] |[\u2500-\u257f\u2580-\u259f\u23bf\u23fa]"
)
"""What a program printed, or a shell, and somebody pasted."""
CODE_ENDS = frozenset("({[=\\")
CODE = re.compile(
    r"[\]})<]|(?:const|let|var|await|def|class|import|from|return|export|function|async|public|private|func|fn|type|interface)\b.*[(){};=]"
    r"|(?:if|for|while|elif|else|try|except|catch|switch)\b.*(?:[({:;]$|;\s*(?:do|then)\b)|"
    r"(?:exec|echo|cd|sudo|curl|export|source|mkdir|rm|cp|mv|chmod|git|npm|npx|yarn|pnpm|bun|pip|docker)\s.*(?:\s--?\w|[$~|]|&&|/\w+/|[\"']$)|"
    r"[\w.-]+: (?:[\w.-]+|\"[^\"]*\"|'[^']*'),?$"
)
"""A line of code or configuration, without a code block around it."""
INTENT = re.compile(
    r"(?:(?:now|next|then|so|ok(?:ay)?|great|good|perfect|first|also|and|actually)\b[,.!:]?\s*)*(?:(?:let me|let's|let\u2019s|let us|"
    r"i'll|i\u2019ll|i will|i need to|i should|we need to check|i(?:'m|\u2019m) (?:going to|about to|checking|looking|reading|"
    r"running|updating|adding)|check|verify|run|look|read|see (?:if|what|how|whether)|find|search|explore|examine|start (?:with|by)|"
    r"continue with|proceed|try|skip|replace all|double[- ]check|(?:check|verify|analyz|updat|prepar|open|investigat|read|search|review|"
    r"clarify|consider|explor|inspect|evaluat|plann|examin|look)ing)\b)",
    re.IGNORECASE,
)
EMPTY_LEAD = re.compile(
    r"here|there|summary|changes|what|key |example|for example|note|result|output|like this|such as|as follows", re.IGNORECASE
)
BOX = re.compile(r"\s*[\u2500-\u257f\u2580-\u259f]")
"""Behind the marks of a drawn box stands the screen of a program."""
FRONT = re.compile(r"^(?:\d{1,3}[.)]\s|\[(?=[^\]]*\]:)|(?!~/)[^\w\"'(\[/.@$\u00bf\u00a1])+")
"""What may not begin a text: there it would open a heading, a list, a code block, HTML or a link definition."""
OURS = re.compile(
    r"\$ (?:.{0,200}?[\s/;&|(])?lib (?:search|show|topics|status|absent|verify|drafts|audit)\b"
    r"|(?:\$ [^|;&]{0,40}\b(?:cat|head|tail|sed|less|bat|grep|rg)|read\w*|view|cat|grep|open)\s"
    r"[^\n]{0,200}?(?:entries/[a-z0-9-]{1,80}\.md|\bINDEX\.md)",
    re.IGNORECASE,
)
"""A call that asks the library: a session that did so is no other for it."""
RULE = frozenset("|-:=_*~ \t")
FOREIGN_REF = re.compile(rf"\bref: \S|{CITE}|\b(?:entry|digest):[a-z0-9][a-z0-9:-]{{3,}}")
"""How lib cites a source: a sentence with such a mark was told by the library, and must not come back as news."""
