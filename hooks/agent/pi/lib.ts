// lib's extension for pi: passes events on to `lib hook`, and what lib says to the model. `lib install` put it here.
import { spawnSync } from "node:child_process";

const LIB = "@LIB@";
const EVENTS = ["session_start", "agent_end", "session_before_switch", "session_compact", "session_shutdown"];

// Some 30 ms. Not in the background: pi ends with its last event, and would take what is not yet written along.
function told(name, payload) {
  try {
    const options = { input: JSON.stringify(payload), encoding: "utf8", timeout: 2000, stdio: ["pipe", "pipe", "ignore"] };
    return spawnSync(LIB, ["hook", "pi", name], options).stdout ?? "";
  } catch {
    return "";
  }
}

export default function (pi) {
  let context = "";
  for (const name of EVENTS) {
    pi.on(name, async (event, ctx) => {
      const sessions = ctx?.sessionManager;
      // The messages of a turn stand in its file: only what names it, and a summary, is passed on.
      const entry = event?.compactionEntry && { summary: event.compactionEntry.summary };
      const from = { cwd: ctx?.cwd, sessionFile: sessions?.getSessionFile?.(), sessionId: sessions?.getSessionId?.() };
      const said = told(name, { event: { type: name, reason: event?.reason, compactionEntry: entry }, ctx: from });
      if (name === "session_start") context = said;
    });
  }
  pi.on("before_agent_start", async ({ systemPrompt }) => {
    if (context && systemPrompt) return { systemPrompt: `${systemPrompt}\n\n${context}` };
  });
  // Its tools inherit this. A session without a file is none that could be found again.
  pi.on("tool_call", async (_event, ctx) => {
    const sessions = ctx?.sessionManager;
    process.env.LIB_SESSION = sessions?.getSessionFile?.() ? `pi:${sessions.getSessionId()}` : "";
  });
}
