"""All rules, for what shows or checks them: the engine loads each at its trigger (`table`)."""

from __future__ import annotations

from libtool.domain.redact import beside, blocks, codes, commands, fallback, labels, pairs, providers, tables, urls, wording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from libtool.domain.redact.rule import Rule

GROUPS: dict[str, tuple[Rule, ...]] = {
    "providers": providers.RULES,
    "blocks": blocks.RULES,
    "urls": urls.RULES,
    "commands": commands.RULES,
    "codes": codes.RULES,
    "labels": labels.RULES,
    "pairs": pairs.RULES,
    "tables": tables.RULES,
    "wording": wording.RULES,
    "beside": beside.RULES,
    "fallback": fallback.RULES,
}
"""All rules, by the module that holds them, most specific first: the first rule names a span that several found."""
