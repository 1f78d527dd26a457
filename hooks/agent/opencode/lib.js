// lib's plugin for opencode: passes events on to `lib hook`, and what lib says to the model. `lib install` put it here.
import { spawnSync } from "node:child_process";

const LIB = "@LIB@";
const EVENTS = new Set(["session.idle", "session.error", "session.compacted", "session.deleted"]);

// Some 30 ms. Not in the background: `opencode run` ends with its last event, and would take what is not yet written along.
function told(name, payload) {
  const options = { input: JSON.stringify(payload), encoding: "utf8", timeout: 2000, stdio: ["pipe", "pipe", "ignore"] };
  try {
    return spawnSync(LIB, ["hook", "opencode", name], options).stdout ?? "";
  } catch {
    return "";
  }
}

export const LibSessions = async ({ directory }) => {
  const begun = new Map();
  // A session that goes on is not created again: it begins with what is asked first.
  const begin = (sessionID) => {
    if (!begun.has(sessionID)) begun.set(sessionID, told("session.created", { sessionID, directory }));
    return begun.get(sessionID);
  };
  return {
    event: async ({ event }) => {
      const sessionID = event.properties?.sessionID ?? event.properties?.info?.id;
      if (event.type === "session.created" && sessionID) begin(sessionID);
      else if (EVENTS.has(event.type) && sessionID) told(event.type, { sessionID, directory });
    },
    "experimental.chat.system.transform": async (input, output) => {
      if (input.sessionID && begin(input.sessionID)) output.system.push(begin(input.sessionID));
    },
    "experimental.session.compacting": async (input, output) => {
      const asked = told("session.compacting", { sessionID: input.sessionID, directory });
      if (asked) output.context.push(asked);
    },
    "shell.env": async ({ sessionID }, { env }) => Object.assign(env, sessionID && { LIB_SESSION: `opencode:${sessionID}` }),
  };
};
