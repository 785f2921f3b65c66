import { CAPABILITY_MEANING } from "../../base/kernel/capability-meaning.ts";
import type { Can, Capabilities, Capability } from "../../base/words/hosting/capability.ts";

const NO_RESULTS = "the agent runs its tools itself and reports results to the client only after the model has them";

/**
 * Enforced between a client and an agent: only calls for which the agent asks permission, plus files and terminals of
 * the client. A rejection carries no reason, so the model reads it in a prompt right after. If an agent reports no
 * exit code, the outcome of a command is unknown. Debug lines appear as text of the agent.
 */
export const acpCapabilities = allExcept({
  rewrite: "the answer to a permission request cannot change the call, so the call is refused instead",
  batch: "ACP does not report which calls belong to one model response",
  truncate: NO_RESULTS,
  "read-result": "nothing is shortened, so there is nothing to page through",
  feedback: `${NO_RESULTS}; feedback is sent with the next prompt`,
  "think-level": "ACP 1 has no such setting; agents offer it as their own options, under different names",
  subagents:
    "`opencode acp` does not forward a subagent's permission requests and waits forever, with or without Conduct",
  requirements: NO_RESULTS,
  shadow:
    "`opencode acp` treats a message that begins with / as its own command, and in shadow mode the mode words stay in the message; ACP-20 proves the rest",
});

/** Enforced in the Claude Agent SDK 0.3.325; README.md lists the limits. */
export const claudeCapabilities = allExcept({ "no-daemon": "Conduct runs in the same process" });

/** Enforced with the hooks of Claude Code 2.1.325; README.md lists the limits. */
export const claudeCodeCapabilities = allExcept({
  operator:
    "`claude -p` gets a program's messages; with --operator the person in Claude Code's terminal is the operator",
  "rewrite-message": "a hook cannot change a message; the model gets a note that the mode words were handled",
  "think-level": "a hook cannot set it; a person can, with /effort or with --effort at the start",
});

/**
 * Enforced in Codex 0.166 with models that call tools plainly (gpt-5.5). Limits: at most 10 kB of a shortened result
 * pass the hook, the rest is paged with read_result. Answers to modes and debug lines are shown by clients of the app
 * server, not by `codex exec`. Conduct's approver is asked, because Codex runs a tool when a hook answers `ask`.
 */
export const codexCapabilities = allExcept({
  operator:
    "`codex app-server` gets a program's messages; with --operator the person in Codex's terminal is the operator",
  "end-turn": "a hook cannot end a turn; every further call of the turn is denied instead",
  "rewrite-message": "a hook cannot change a message; the model gets a note that the mode words were handled",
  "think-level":
    "a hook cannot set it; the program that starts Codex can, with -c model_reasoning_effort or at turn/start",
});

/**
 * Enforced with the hooks of Gemini CLI 0.61. A shortened or withheld result reaches the model as the tool's error:
 * the hook has no other way to replace it.
 */
export const geminiCapabilities = allExcept({
  operator:
    "`gemini -p` gets a program's messages; with --operator the person in Gemini CLI's terminal is the operator",
  "rewrite-message": "a hook cannot change a message; the model gets a note that the mode words were handled",
  modes:
    "`gemini -p` saves no session whose first message was blocked, so what that message switched is lost; in the terminal it lasts",
  "think-level": "a hook cannot set it",
  // `gemini -p` cannot compact a conversation: neither claimed nor ruled out.
  "survives-compaction": undefined,
  subagents:
    "the hooks report a subagent's calls as the agent's own: the same rules apply, but what it proves counts for the agent",
  requirements: "the hook gets a result without its structured content",
});

/** Enforced with the hooks of Copilot CLI 1.0.102. */
export const copilotCapabilities = allExcept({
  operator:
    "`copilot -p` gets a program's messages; with --operator the person in Copilot CLI's terminal is the operator",
  "end-turn": "a hook cannot end a turn; every further call of the turn is denied instead",
  "think-level": "a hook cannot set it; a person can, with --reasoning-effort at the start",
  truncate: "Copilot CLI itself moves a large result to a file before a hook sees it; smaller ones are shortened",
  "read-result": "large results are in a file of Copilot CLI, so the kit finds nothing to page through",
  verbose: "a hook cannot show the person a text; `conduct watch` shows the debug lines",
  requirements: "the hook gets a result without its structured content",
});

/**
 * Expected of Cursor, from the documentation of its hooks: no run on Cursor itself has proven any of it, so the coverage
 * map marks each as not proven.
 */
export const cursorCapabilities = allExcept({
  operator: "`agent -p` gets a program's messages; with --operator the person in Cursor's terminal is the operator",
  batch: "the hooks do not report which calls belong to one model response",
  "end-turn": "a hook cannot end a turn; every further call of the turn is denied instead",
  "rewrite-message": "a hook cannot change a message; the model gets a note that the mode words were handled",
  "think-level": "a hook cannot set it",
  truncate: "a hook cannot replace the result of Cursor's own tools",
  "read-result": "nothing is shortened, so there is nothing to page through",
  verbose: "a hook cannot show the person a text; `conduct watch` shows the debug lines",
  requirements: "the hook gets a result without its structured content",
  subagents: undefined,
});

/** Models in code mode (all others in Codex's catalogue) run their calls inside a script. */
export const codexCodeModeCapabilities: typeof codexCapabilities = {
  ...codexCapabilities,
  truncate: { cannot: "a result goes to the model's script, which fails when the hook replaces it" },
  "read-result": { cannot: "nothing is shortened in code mode, so there is nothing to page through" },
  requirements: { cannot: "a result goes to the model's script whole, so the model would read them" },
};

const IN_PROCESS = { "no-daemon": "Conduct runs in the same process" };

/** What Conduct can enforce in the AI SDK 7. */
export const aiSdkCapabilities = allExcept(IN_PROCESS);

/** What Conduct can enforce in `@openai/agents` 0.20. */
export const openAiAgentsCapabilities = allExcept(IN_PROCESS);

/** What Conduct can enforce in LangChain 1.5. */
export const langChainCapabilities = allExcept(IN_PROCESS);

/** What Conduct can enforce in Mastra 1.71. */
export const mastraCapabilities = allExcept(IN_PROCESS);

const NO_MODEL = "a proxy sees only tool calls and their results, not the person's messages or the model's requests";

/** What Conduct can enforce between an MCP client and a server. */
export const mcpProxyCapabilities = allExcept({
  prompt: `${NO_MODEL}; initial_instructions of \`conduct mcp\` returns the prompt when the model calls it`,
  "end-turn": "a server cannot end a client's turn; every further call of the turn is denied instead",
  batch: "calls sent before any result is back are one step; a client that runs a batch one by one cannot be detected",
  operator: NO_MODEL,
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
  operator:
    "OpenClaw's own chat does not tell a plugin whether a person or a program wrote a message; on channels the plugin's setting `operators` names them",
  verbose:
    "OpenClaw's own chat shows an answer as the model streams it; text that a plugin adds (reply_payload_sending) reaches channels only",
});

const NOBODY_KNOWN =
  "OpenCode does not tell a plugin who wrote a message; use `conduct behavior` and `conduct elevate`";

/**
 * Enforced in OpenCode 1.18 behind a server: `opencode serve`, and the terminal interface, which has one. A stop is
 * refused by a next message; a client that waits only for the first request gets the refused answer. Debug lines are
 * toasts. A hook cannot ask OpenCode's own person: Conduct's approver is asked, and the call waits.
 */
export const opencodeCapabilities = allExcept({ operator: NOBODY_KNOWN });

const ONE_ANSWER =
  "`opencode run` exits with the first answer, before a plugin can refuse it; the record and the error output say so";

/** The same in `opencode run`. */
export const opencodeRunCapabilities = allExcept({
  operator: NOBODY_KNOWN,
  stop: ONE_ANSWER,
  "stop-bound": ONE_ANSWER,
  "survives-compaction": "`opencode run` has no command to compact; proven behind a server",
});

/** What Conduct can enforce in pi-agent-core. */
export const piCapabilities = allExcept({
  subagents: "pi-agent-core starts no subagents; for an agent that your own tool starts, use session.child()",
  mcp: "pi-agent-core has no MCP client; the tools of a server are your own tools, named by your toolMap",
  requirements: "pi-agent-core has no MCP client; your own tools put them into `details`",
  "no-daemon": "Conduct runs in the same process",
});

/** Enforced in pi-coding-agent 0.87, verified with the real `pi`. */
export const piExtensionCapabilities = allExcept({
  subagents: "Pi has no subagents; a `pi` that a tool starts loads the extension and has its own session",
  mcp: "Pi has no MCP client; MCP tools of another extension are ordinary tools",
  requirements: "Pi has no MCP client; other extensions' tools put them into `details`",
});

/**
 * Every capability of the conformance kit except the listed ones, each with the reason why the runtime cannot have it.
 * `undefined` means neither claimed nor ruled out.
 */
export function allExcept(cannot: { readonly [C in Capability]?: string | undefined }): Capabilities {
  const names = Object.keys(CAPABILITY_MEANING).filter(
    (name) => !/^(?:exec-gate|same-decisions)$/.test(name),
  ) as Capability[];
  const rows = names.map((name): [Capability, Can | undefined] => {
    const why = cannot[name];
    return [name, why === undefined ? (Object.hasOwn(cannot, name) ? undefined : true) : { cannot: why }];
  });
  return Object.fromEntries(rows) as Capabilities;
}
