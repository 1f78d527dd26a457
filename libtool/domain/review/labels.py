"""The words that name a section, a topic or nothing at all, as models write them, in ten languages."""

from __future__ import annotations

import re
import unicodedata

from libtool.domain.schema import ANSWER, BLOCKER, DECIDED, MEASURED, OPEN, POINTERS, SESSION, SUPERSEDED

LONGEST = 80
"""Characters of what can be a label."""
TOPIC, END = "topic", ""
"""Beside the sections: what names the topic of a block; the end of one, in tags."""

_CANONICAL: dict[str, str] = {
    ANSWER: "answer antwort reponse respuesta resposta risposta antwoord ответ 答案 回答 답변",
    DECIDED: "decided entschieden decide decidido deciso besloten решено 决定 決定 결정",
    BLOCKER: "blocker blockers blockiert bloque bloqueo bloqueio blocco blokkade блокер 阻塞 ブロッカー 차단",
    SUPERSEDED: "superseded ersetzt remplace reemplazado substituido sostituito vervangen заменено 已取代 被取代 置き換え 대체됨",
    MEASURED: "measured gemessen mesure medido misurato gemeten измерено 测量 計測 측정",
    OPEN: "open offen ouvert abierto aberto aperto открыто 未解决 未解決 미해결",
    POINTERS: "pointers pointer verweise pointeurs punteros ponteiros riferimenti verwijzingen ссылки 指针 ポインタ 포인터",
    SESSION: "session sessions",
}
_OTHERS: dict[str, str] = {
    ANSWER: "conclusion, conclusions, summary, tldr, tl dr, outcome, verdict, bottom line, in short, final answer, takeaway, takeaways, "
    "key takeaway, key takeaways, resolution, result, the answer, ergebnis, fazit, zusammenfassung, schlussfolgerung, resume, resultat, "
    "resumen, conclusao, resumo, resultado, conclusione, riassunto, risultato, conclusie, samenvatting, вывод, итог, 结论, 总结, 結論, "
    "まとめ, 결론, 요약",
    DECIDED: "decision, decisions, decisions made, key decisions, what we decided, what was decided, choices, agreed, entscheidung, "
    "entscheidungen, beschlossen, decisions prises, decisiones, decision tomada, decisoes, decisioni, beslissingen, решения, 决策, "
    "已决定, 決定事項, 결정사항, 결정 사항",
    BLOCKER: "blocked, blocking, blocked by, blocked on, impediments, stuck, hindernis, hindernisse, blockade, bloquants, "
    "points bloquants, bloqueos, bloqueado, bloqueios, blocchi, блокеры, препятствия, 障碍, 卡点, 阻碍, 阻害要因, 장애물, 블로커",
    SUPERSEDED: "replaced, obsolete, deprecated, outdated, no longer valid, no longer true, uberholt, veraltet, abgelost, "
    "obsoletes, perime, remplaces, obsoleto, sustituido, устарело, 已替代, 废弃, 已废弃, 廃止, 폐기",
    MEASURED: "measurements, metrics, numbers, figures, benchmarks, benchmark, performance, messwerte, messungen, mesures, mediciones, "
    "medicoes, misure, metingen, измерения, замеры, 指标, 实测, 测得, 測定, 측정값",
    OPEN: "open items, open item, open questions, open points, todo, todos, to do, next, next steps, remaining, pending, "
    "follow up, follow ups, followup, followups, unresolved, still open, outstanding, offene punkte, offene fragen, nachste schritte, "
    "a faire, en suspens, "
    "questions ouvertes, prochaines etapes, points ouverts, pendiente, pendientes, por hacer, proximos pasos, pendente, pendentes, "
    "proximos passos, da fare, осталось, не сделано, дальше, 待办, 未完成, 待定, 下一步, 残件, 残課題, 今後, 남은 일, 할 일",
    POINTERS: "references, links, files, sources, see also, related files, dateien, quellen, liens, fichiers, enlaces, "
    "referencias, archivos, riferimento, указатели, 链接, 参考, 引用, 参照, リンク, 링크, 참조",
    SESSION: "session id, session ids, sitzung, sesion, sessao, сессия, 会话, セッション, 세션",
    TOPIC: "topic, entry, topic slug, slug, thema, sujet, tema, onderwerp, тема, 主题, 主題, トピック, 주제",
}
_NOTHING = frozenset(
    "none|n a|na|nothing|nil|null|empty|no|not applicable|nothing to report|nothing new|nothing to record|nothing worth keeping|"
    "none so far|no blocker|no blockers|"
    "keine|keiner|keines|nichts|aucun|aucune|rien|neant|ninguno|ninguna|nada|nenhum|nenhuma|nessuno|nessuna|niente|geen|нет|ничего|无|無|没有|"
    "なし|특이사항 없음|없음|see above|same as above|unchanged".split("|")
)
_WHAT = "(?:decisions?|blockers?|measurements?|items?|questions?|points?|tasks?|pointers?|topics?|entry|entries|findings?)"
_NO_SUCH = re.compile(
    r"(?:there (?:is|are|was|were) )?(?:"
    r"nothing (?:new |else |more )?(?:to (?:record|report|capture|add|note|save|keep)|worth (?:recording|keeping|capturing))|"
    rf"no (?:new |further |other |open |lasting |durable |prior |such )*{_WHAT}(?: (?:were|was|are|is|have been|has been))?"
    r"(?: (?:made|found|taken|recorded|reached|identified|noted|needed|given|remain|remaining|left|known|to (?:record|report|capture)))*)"
    r"(?: (?:in|from|for|during|of|about|at) (?:the|this|that|our) (?:\w+ )?(?:session|conversation|chat|turn|moment|time|point|stage))?"
    r"(?: (?:yet|so far|here))?"
)
_ANSWERS = frozenset({"no", "нет"})
_GENERIC = frozenset(
    "session|session summary|session review|session notes|review|summary|notes|entry|topic|library entry|library|"
    "report|capture|library section|sections|output|update|final report|handoff|conversation summary|block|"
    "entries|topics|library entries|memory|the entry|"
    "title|untitled|zusammenfassung|resume|resumen|resumo|总结|まとめ|要約|overview|analysis|record".split("|")
)
_MARKS = re.compile(r"^[\W\d_]+|[\W_]+$")
_NUMBERED = re.compile(r"\b(?:topic|entry|thema|section|block)\s*#?\d+\b")

CANONICAL = {word: name for name, words in _CANONICAL.items() for word in words.split()}
"""The plain name of a section in each language: believed wherever a label can stand."""
KNOWN = CANONICAL | {word: name for name, words in _OTHERS.items() for word in words.split(", ")}
"""All names: believed in headings, in bold, and on a line of their own."""


def plain(label: str) -> str:
    """A label without case, accents, emoji, numbers and punctuation: `✅ 2. **Décidé:**` gives `decide`."""
    bare = unicodedata.normalize("NFKD", label.casefold())
    bare = unicodedata.normalize("NFC", "".join(one for one in bare if not unicodedata.combining(one) or one in "\u3099\u309a"))
    return " ".join(re.split(r"[\W_]+", _MARKS.sub("", bare)))


def section(label: str, *, strict: bool = False) -> str | None:
    """The section or TOPIC that a label names; `strict`: only by its plain name. None for any other text."""
    return (CANONICAL if strict else KNOWN).get(plain(label)) if len(label) <= LONGEST else None


def answers_nothing(text: str) -> bool:
    """The same of an Answer: `No.` is one."""
    return is_nothing(text) and plain(text) not in _ANSWERS


def is_nothing(text: str) -> bool:
    """Whether a text says that there is nothing to say."""
    if not any(map(str.isalnum, text)):
        return True
    return len(text) < 100 and ((said := plain(text)) in _NOTHING or _NO_SUCH.fullmatch(said) is not None)


def is_generic(title: str) -> bool:
    """Whether a title names no topic: `Session summary`, `Topic 1`."""
    words = plain(title[: 2 * LONGEST])
    return words in _GENERIC or not words or _NUMBERED.sub("", words).strip() == ""
