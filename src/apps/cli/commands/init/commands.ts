import type { Command } from "../../line/command.ts";

/** In place of a runtime's name. */
const ALL = "all";

/** `conduct init`, `conduct enforce`, `conduct doctor`: from nothing to a runtime that is bound. */
export const INIT: Command = {
  description: "Set a runtime up: shows what it would change, asks, and begins by only watching",
  args: {
    runtime: { type: "positional", description: "claude-code, codex, opencode, pi, openclaw, acp or mcp" },
    yes: { type: "boolean", description: "Do not ask: make the changes" },
    undo: { type: "boolean", description: "Take back what init did" },
    operator: { type: "boolean", description: "Whoever types into it is the operator" },
    project: { type: "boolean", description: "For the project in this folder only" },
    agent: { type: "string", description: "Which agent of conduct.yaml it is; needed where there are several" },
    trust: { type: "boolean", description: "With codex: let it trust Conduct's hooks, a step that --yes leaves out" },
    full: { type: "boolean", description: "Show every line of the change" },
  },
  load: async () => (await import("./init.ts")).init,
};

export const ENFORCE: Command = {
  description: "Show what would have been blocked so far, and enforce it from now on",
  args: {
    runtime: { type: "positional", default: ALL, description: "The runtime, or all that are watched" },
    shadow: { type: "boolean", description: "The other way: only watch from now on" },
    yes: { type: "boolean", description: "Do not ask" },
  },
  load: async () => (await import("../enforce/enforce.ts")).enforce,
};

export const DOCTOR: Command = {
  description: "See whether everything works: Conduct, the installed runtime, its hooks, a call that must be denied",
  args: {
    runtime: { type: "positional", default: ALL, description: "The runtime, acp, mcp, or all that are set up" },
  },
  load: async () => (await import("../doctor/doctor.ts")).doctor,
};
