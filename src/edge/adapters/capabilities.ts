import { CAPABILITY_MEANING } from "../../base/kernel/capability-meaning.ts";
import type { Can, Capabilities, Capability } from "../../base/words/hosting/capability.ts";

const NO_RESULTS = "the agent runs its tools itself, and tells the client of results only when the model has them";

/**
 * Enforced between a client and an agent: only calls for which the agent asks permission, plus files and terminals of
 * the client. A rejection carries no reason, so the model reads it in a prompt right after. If an agent reports no
 * exit code, the outcome of a command is unknown. Debug lines appear as text of the agent.
 */
export const acpCapabilities = allExcept({
  rewrite: "the answer to a permission request cannot change the call: it is refused instead",
  batch: "ACP does not tell which calls belong to one model response",
  truncate: NO_RESULTS,
  "read-result": "nothing is shortened, so there is nothing to page through",
  feedback: `${NO_RESULTS}; feedback goes along with the next prompt`,
  "think-level": "ACP 1 has no word for it; agents offer it as options of their own, each by its own name",
  subagents:
    "`opencode acp` passes on nothing that a subagent asks permission for, and waits for ever, with or without Conduct",
  shadow:
    "`opencode acp` takes a message that begins with / for a command of its own, and in shadow modes stay in the message; the rest is proven by ACP-20",
});

/** Enforced in the Claude Agent SDK 0.3.325; README.md lists the limits. */
export const claudeCapabilities = allExcept({ "no-daemon": "Conduct is in the same process" });

/** Enforced with the hooks of Claude Code 2.1.325; README.md lists the limits. */
export const claudeCodeCapabilities = allExcept({
  "rewrite-message": "no answer of a hook changes a message; the model is told that its mode words have been handled",
  "think-level": "no answer of a hook sets it; a person can, with /effort, or with --effort at the start",
});

/**
 * Enforced in Codex 0.166 with models that call tools plainly (gpt-5.5). Limits: at most 10 kB of a shortened result
 * pass the hook, the rest is paged with read_result. Answers to modes and debug lines are shown by clients of the app
 * server, not by `codex exec`. Conduct's approver is asked, because Codex runs a tool when a hook answers `ask`.
 */
export const codexCapabilities = allExcept({
  "end-turn": "no answer of a hook ends a turn; every further call of the turn is denied instead",
  "rewrite-message": "no answer of a hook changes a message; the model is told that its mode words have been handled",
  "think-level": "no answer of a hook sets it; who starts Codex can, with -c model_reasoning_effort or at turn/start",
});

/** Models in code mode (all others in Codex's catalogue) run their calls inside a script. */
export const codexCodeModeCapabilities: typeof codexCapabilities = {
  ...codexCapabilities,
  truncate: { cannot: "a result goes to the model's script, which fails when the hook replaces it" },
  "read-result": { cannot: "nothing is shortened in code mode, so there is nothing to page through" },
};

const NO_MODEL =
  "a proxy sees tool calls and their results, and neither the person's messages nor the model's requests";

export const mcpProxyCapabilities = allExcept({
  prompt: `${NO_MODEL}; initial_instructions of \`conduct mcp\` gives the prompt when the model calls it`,
  "end-turn": "a server cannot end a client's turn; every further call of the turn is denied instead",
  batch: "calls sent before any result is back are one step; a client that runs a batch one by one cannot be told",
  stop: NO_MODEL,
  "stop-bound": NO_MODEL,
  modes: NO_MODEL,
  "rewrite-message": NO_MODEL,
  "think-level": NO_MODEL,
  verbose: NO_MODEL,
  "survives-compaction": undefined,
  "survives-resume": undefined,
  subagents: undefined,
});

/** Enforced in OpenClaw 2026.9, verified with the real gateway. */
export const openclawCapabilities = allExcept({
  verbose:
    "OpenClaw's own chat shows an answer as the model streams it; what a plugin adds (reply_payload_sending) reaches channels only",
});

/**
 * Enforced in OpenCode 1.18 behind a server: `opencode serve`, and the terminal interface, which has one. A stop is
 * refused by a next message; a client that waits only for the first request gets the refused answer. Debug lines are
 * toasts. A hook cannot ask OpenCode's own person: Conduct's approver is asked, and the call waits.
 */
export const opencodeCapabilities = allExcept({});

const ONE_ANSWER =
  "`opencode run` exits with the first answer, before a plugin can refuse it; the record and the error output say so";

/** The same in `opencode run`. */
export const opencodeRunCapabilities = allExcept({
  stop: ONE_ANSWER,
  "stop-bound": ONE_ANSWER,
  "survives-compaction": "nothing tells `opencode run` to compact; behind a server it is proven",
});

export const piCapabilities = allExcept({
  subagents: "pi-agent-core starts none; an agent that a tool of yours starts is under Conduct with session.child()",
  mcp: "pi-agent-core has no MCP client; the tools of a server are your own, and your toolMap names them",
  "no-daemon": "Conduct is in the same process",
});

/** Enforced in pi-coding-agent 0.87, verified with the real `pi`. */
export const piExtensionCapabilities = allExcept({
  subagents: "Pi has none of its own; a `pi` that a tool starts loads the extension and is a session of its own",
  mcp: "Pi has no MCP client; what another extension brings is a tool like any other",
});

/**
 * Every capability of the conformance kit except the listed ones, each with the reason why the runtime cannot have it.
 * `undefined` means neither claimed nor ruled out.
 */
export function allExcept(cannot: { readonly [C in Capability]?: string | undefined }): Capabilities {
  const names = Object.keys(CAPABILITY_MEANING).filter((name) => name !== "same-decisions") as Capability[];
  const rows = names.map((name): [Capability, Can | undefined] => {
    const why = cannot[name];
    return [name, why === undefined ? (Object.hasOwn(cannot, name) ? undefined : true) : { cannot: why }];
  });
  return Object.fromEntries(rows) as Capabilities;
}
