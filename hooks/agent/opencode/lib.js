// lib's plugin for opencode: passes events on to `lib hook`, and what lib asks for to a compaction's prompt. `lib install` put it here.
import { spawnSync } from "node:child_process";

const LIB = "@LIB@";
const EVENTS = new Set(["session.created", "session.idle", "session.error", "session.compacted", "session.deleted"]);

// Some 30 ms. Not in the background: `opencode run` ends with its last event, and would take what is not yet written along.
function told(name, payload) {
  try {
    const options = { input: JSON.stringify(payload), encoding: "utf8", timeout: 2000, stdio: ["pipe", "pipe", "ignore"] };
    return spawnSync(LIB, ["hook", "opencode", name], options).stdout ?? "";
  } catch {
    return "";
  }
}

export const LibSessions = async ({ directory }) => ({
  event: async ({ event }) => {
    const sessionID = event.properties?.sessionID ?? event.properties?.info?.id;
    if (EVENTS.has(event.type) && sessionID) told(event.type, { sessionID, directory });
  },
  "experimental.session.compacting": async (input, output) => {
    const asked = told("session.compacting", { sessionID: input.sessionID, directory });
    if (asked) output.context.push(asked);
  },
});
