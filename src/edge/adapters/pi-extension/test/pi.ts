import type { AgentTool, ThinkingLevel } from "@earendil-works/pi-agent-core";
import type { Api, Model } from "@earendil-works/pi-ai";
import type { PiApi, PiContext } from "../native.ts";

const MODEL: Model<Api> = {
  id: "m",
  name: "M",
  api: "anthropic-messages",
  provider: "p",
  baseUrl: "http://127.0.0.1:9",
  reasoning: true,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 100_000,
  maxTokens: 1_000,
};

export type TestPiOptions = {
  readonly hasUI?: boolean;
  readonly picks?: string;
  readonly kept?: boolean;
};

/** Pi as seen by an extension: passes events to the handlers one after the other, like the real one. */
export class TestPi {
  readonly shown: string[] = [];
  readonly asked: string[] = [];
  readonly tools: AgentTool[] = [];
  aborts = 0;
  typed = "";
  level: ThinkingLevel = "low";
  session = "s1";
  readonly #handlers = new Map<string, ((event: object, context: PiContext) => unknown)[]>();
  readonly #options: TestPiOptions;

  constructor(extension: (pi: PiApi) => void, options: TestPiOptions = {}) {
    this.#options = options;
    const api = {
      on: (name: string, handler: (event: object, context: PiContext) => unknown) => {
        this.#handlers.set(name, [...(this.#handlers.get(name) ?? []), handler]);
      },
      registerTool: (tool: AgentTool) => void this.tools.push(tool),
      getActiveTools: () => ["read", "write", "edit", "bash", ...this.tools.map(({ name }) => name)],
      getThinkingLevel: () => this.level,
      setThinkingLevel: (level: ThinkingLevel) => {
        this.level = level;
      },
    };
    extension(api as PiApi);
  }

  /** Returns the answer of the last handler. */
  async emit<A = unknown>(type: string, event: object = {}): Promise<A> {
    let answer: unknown;
    for (const handler of this.#handlers.get(type) ?? []) answer = await handler({ type, ...event }, this.#context());
    return answer as A;
  }

  #context(): PiContext {
    const { hasUI = true, picks, kept = true } = this.#options;
    return {
      ui: {
        notify: (message) => void this.shown.push(message),
        setEditorText: (text) => {
          this.typed = text;
        },
        select: async (title) => {
          this.asked.push(title);
          return picks;
        },
      },
      mode: hasUI ? "tui" : "print",
      hasUI,
      cwd: "/workspace",
      sessionManager: {
        getSessionId: () => this.session,
        getSessionFile: () => (kept ? "/sessions/s1.jsonl" : undefined),
      },
      model: MODEL,
      signal: undefined,
      abort: () => {
        this.aborts += 1;
      },
    };
  }
}
