// lib's extension for pi: passes events on to `lib hook`. `lib install` put it here.
import { spawnSync } from "node:child_process";

const LIB = "@LIB@";
const EVENTS = ["session_start", "agent_end", "session_before_switch", "session_compact", "session_shutdown"];

// Some 30 ms. Not in the background: pi ends with its last event, and would take what is not yet written along.
function tell(name, payload) {
  try {
    spawnSync(LIB, ["hook", "pi", name], { input: JSON.stringify(payload), timeout: 2000, stdio: ["pipe", "ignore", "ignore"] });
  } catch {}
}

export default function (pi) {
  for (const name of EVENTS) {
    pi.on(name, async (event, ctx) => {
      const sessions = ctx?.sessionManager;
      // The messages of a turn stand in its file: only what names it, and a summary, is passed on.
      const entry = event?.compactionEntry && { summary: event.compactionEntry.summary };
      const from = { cwd: ctx?.cwd, sessionFile: sessions?.getSessionFile?.(), sessionId: sessions?.getSessionId?.() };
      tell(name, { event: { type: name, reason: event?.reason, compactionEntry: entry }, ctx: from });
    });
  }
}
