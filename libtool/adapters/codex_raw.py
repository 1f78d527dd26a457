"""Codex rows as raw bytes: which need no parsing.

Rows are written without spaces, `timestamp` (and `ordinal`) first, then `type` and `payload`, so the kind stands in the first bytes.
"""

from __future__ import annotations

ENVELOPES = frozenset(
    "session_meta turn_context response_item event_msg compacted world_state token_usage_record inter_agent_communication_metadata".split()
)

IGNORED = frozenset("world_state token_usage_record inter_agent_communication_metadata state".split())
"""Row types without anything of the conversation."""

IGNORED_ITEMS = frozenset("compaction ghost_snapshot other tool_search_output context_compaction".split())
"""Response items without text of the conversation."""

IGNORED_EVENTS = frozenset(
    "agent_message_delta agent_reasoning agent_reasoning_delta agent_reasoning_raw_content agent_reasoning_section_break "
    "apply_patch_approval_request background_event collab_agent_interaction_begin collab_agent_interaction_end "
    "collab_agent_spawn_begin collab_agent_spawn_end collab_close_begin collab_close_end collab_resume_begin collab_resume_end "
    "collab_waiting_begin collab_waiting_end context_compacted deprecation_notice dynamic_tool_call_request "
    "dynamic_tool_call_response elicitation_request error exec_approval_request exec_command_begin exec_command_end "
    "exec_command_output_delta guardian_assessment hook_completed hook_started image_generation_begin image_generation_end "
    "item_started mcp_startup_complete mcp_startup_update mcp_tool_call_begin mcp_tool_call_end model_reroute model_verification "
    "patch_apply_begin patch_apply_end plan_delta plan_update request_permissions request_user_input session_configured "
    "shutdown_complete stream_error sub_agent_activity task_started terminal_interaction thread_goal_updated "
    "thread_settings_applied token_count turn_aborted turn_diff undo_completed undo_started view_image_tool_call warning "
    "web_search_begin web_search_end".split()
)
"""Events that repeat response items, or hold nothing of the conversation."""

_IGNORED_RAW = frozenset(name.encode() for name in IGNORED)
_IGNORED_EVENTS_RAW = frozenset(name.encode() for name in IGNORED_EVENTS)
_TYPE = b'"type":"'
_EVENT = b'event_msg","payload":{"type":"'
_ITEM = b'item_completed"'
_ITEM_TYPE = b'"item":{"type":"'
_WANTED_ITEMS = (b'AgentMessage"', b'Plan"')
_HEAD = b'{"timestamp":"'
"""Begins a row: behind the head of a line, one that was glued to a row that was cut."""
_GLUE = b'}{"'


def skip(line: bytes) -> bool:
    """Whether a raw line cannot hold anything wanted: an ignored row type or event, a completed item that repeats a response item."""
    if not line.startswith(_HEAD):
        return False
    at = line.find(_TYPE, 14, 100) + 8
    if at < 8:
        return False
    if line.startswith(_EVENT, at):
        at += len(_EVENT)
        if line.startswith(_ITEM, at):
            item = line.find(_ITEM_TYPE, at, at + 400)
            drop = item >= 0 and not line.startswith(_WANTED_ITEMS, item + len(_ITEM_TYPE))
        else:
            drop = line[at : line.find(b'"', at, at + 60)] in _IGNORED_EVENTS_RAW
    else:
        drop = line[at : line.find(b'"', at, at + 60)] in _IGNORED_RAW
    return drop and _GLUE not in line and line.find(_HEAD, 1) < 0
