import { asObject } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Advice } from "../../../base/words/decision.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { Modes } from "../../../base/words/modes.ts";
import type { SessionHost, SessionMoments } from "../../../engine/session/session-moments.ts";
import type { ToolDeclaration } from "../../../engine/tools/conduct-tool.ts";
import { OpenOnce } from "../shared/open-once.ts";
import { runOwnTool } from "../shared/own-tools.ts";
import type { OpencodeClient, OpencodeInput, OpencodeTool, UserMessage } from "./native.ts";

/**
 * The tools that Conduct may give an agent. OpenCode needs a plugin's tools at its start, before any session: the
 * names are here, the descriptions come with the first session, and each message disables the tools that its session
 * lacks.
 */
export const OWN_TOOLS = [
  "read_result",
  "verify_context",
  "review_plan",
  "update_instructions",
  "read_memory",
  "save_memory",
] as const;

export function ownTools(find: (sessionID: string) => Promise<SessionMoments>): { [name: string]: OpencodeTool } {
  const tool = (name: string): OpencodeTool => ({
    description: name,
    args: {},
    async execute(args, { sessionID }) {
      const { text, isError } = await runOwnTool(await find(sessionID), name, asObject(args));
      // In OpenCode a failing tool throws.
      if (isError) throw new Error(text);
      return text;
    },
  });
  return Object.fromEntries(OWN_TOOLS.map((name) => [name, tool(name)]));
}

/** Disables, for the answer to this message, the tools that the session lacks. */
export function switchTools(message: UserMessage, session: SessionMoments): void {
  const given = new Set(session.tools().map(({ name }) => name));
  const missing = OWN_TOOLS.filter((name) => !given.has(name));
  if (missing.length === 0) return;
  message.tools = { ...message.tools, ...Object.fromEntries(missing.map((name) => [name, false])) };
}

/** A call that was allowed and has no result yet. `error` is its state after a failure. */
type OpenCall = {
  readonly call: CallInput;
  readonly advice: readonly Advice[];
  /** The native arguments at the time of the decision. */
  readonly decided: string;
  error?: JsonObject;
};

export type LiveSession = {
  readonly session: SessionMoments;
  /** A subagent's session: a model wrote its messages. */
  readonly isChild: boolean;
  readonly calls: Map<string, OpenCall>;
  /** Texts for the model in place of the errors of failed calls; OpenCode keeps its own text. */
  readonly replaced: Map<string, string>;
  /** Shared by the calls of one model response; none before the first call. */
  step?: string | undefined;
  /**
   * `ended`: by a denial; no more calls run. `failed`: interrupted, so no completion check. `stopping`: the model has
   * stopped, and the completion check is pending.
   */
  turn: "none" | "open" | "ended" | "failed" | "stopping";
  prompt?: string | undefined;
  modes?: Modes;
  message?: UserMessage;
  model?: string;
  /** The last text of the model, and why it stopped. */
  text: string;
  finish?: string | undefined;
  /** Settles when the end of the turn is decided. */
  ending: Promise<void>;
  /** The model has lost some of its context since the last request, and Conduct was notified. */
  forgot: boolean;
  /** Marks the message in which Conduct refused a stop; it begins no turn. */
  refusal?: string | undefined;
};

/** The sessions of one OpenCode instance, opened at their first event. */
export class LiveSessions {
  readonly declared = new Map<string, ToolDeclaration>();
  readonly #host: SessionHost;
  readonly #input: OpencodeInput;
  readonly #interactive: boolean;
  readonly #open = new OpenOnce<LiveSession>();
  readonly #live = new Map<string, LiveSession>();

  constructor(host: SessionHost, input: OpencodeInput, interactive: boolean) {
    this.#host = host;
    this.#input = input;
    this.#interactive = interactive;
  }

  /** Rejects if Conduct is unreachable; the next request tries again. */
  of(id: string): Promise<LiveSession> {
    return this.#open.get(id, () => this.#begin(id));
  }

  find(id: string): LiveSession | undefined {
    return this.#live.get(id);
  }

  drop(id: string): void {
    this.#open.forget(id);
    this.#live.delete(id);
  }

  all(): readonly LiveSession[] {
    return [...this.#live.values()];
  }

  async #begin(id: string): Promise<LiveSession> {
    const { data } = await this.#input.client.session.get({ path: { id } });
    const { id: told, parentID } = asObject(data);
    if (told !== id) throw new Error(`OpenCode does not know its session ${id}`);
    const isChild = typeof parentID === "string";
    const session = await this.#host.open({
      runtime: "opencode",
      id,
      cwd: this.#input.directory,
      interactive: this.#interactive && !isChild,
      parent: isChild ? parentID : undefined,
    });
    for (const { name, description, inputSchema, access } of session.tools()) {
      this.declared.set(name, { name, description, inputSchema, access });
    }
    const live: LiveSession = {
      session,
      isChild,
      calls: new Map(),
      replaced: new Map(),
      turn: "none",
      text: "",
      forgot: false,
      ending: Promise.resolve(),
    };
    this.#live.set(id, live);
    return live;
  }
}

const SHOWN_MS = 10_000;

/** Shows texts to the person, not to the model. Never rejects. */
export type Show = (...texts: readonly (string | undefined)[]) => void;

/** Shows toasts; `opencode run` has no screen, so the texts also go to stderr. */
export function showTo(client: OpencodeClient, headless: boolean): Show {
  return (...texts) => {
    for (const message of texts) {
      if (message === undefined || message === "") continue;
      if (headless) process.stderr.write(`${message}\n`);
      const body = { title: "Conduct", message, variant: "info", duration: SHOWN_MS } as const;
      void client.tui.showToast({ body }).catch(() => undefined);
    }
  };
}

/** An error without a stack trace: OpenCode shows the text to the model. */
export function blocked(text: string): Error {
  const error = new Error(text);
  error.stack = text;
  return error;
}
