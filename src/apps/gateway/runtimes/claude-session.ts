import type { StopDecision } from "../../../behavior/completion/decide-stop.ts";
import { OWN_SERVER } from "../../../edge/adapters/shared/own-tools.ts";
import { replaceMoments, type SessionMoments } from "../../../engine/session/session-moments.ts";
import type { IncomingMessage } from "../../../engine/session/session-options.ts";
import type { ConductTool } from "../../../engine/tools/conduct-tool.ts";
import type { HostedEnd } from "./hosted.ts";

type From = Omit<IncomingMessage, "text">;
/** The model's names for tools of MCP servers, by the names in rules, and the servers that are missing. */
type Offered = { readonly names: ReadonlyMap<string, string>; readonly missing: readonly string[] };

type SeenEnd = Pick<HostedEnd, "status" | "why">;

/** Session for the SDK's hooks. Adds the sender to each message, and remembers how the turn ended. */
export class ClaudeSession {
  readonly session: SessionMoments;
  /** Sender of the turn's own message, until the runtime has read it. */
  #first: From | undefined;
  #later: From = {};
  /** Steering messages not read yet, the oldest first. */
  #steered: readonly IncomingMessage[] = [];
  #end: SeenEnd | undefined;
  #offered: Offered = { names: new Map(), missing: [] };

  /** `plugins`: tools of plugins, which the SDK offers next to Conduct's own. */
  constructor(session: SessionMoments, plugins: readonly ConductTool[] = []) {
    const names = new Map(plugins.map(({ name }) => [name, `mcp__${OWN_SERVER}__${name}`]));
    this.session = replaceMoments(session, {
      tools: () => [...session.tools(), ...plugins],
      onPrompt: ({ tools, toolName = (tool: string) => tool, ...request } = {}) => {
        const { names: served, missing } = this.#offered;
        return session.onPrompt({
          ...request,
          tools: tools && [...tools.map((name) => names.get(name) ?? name), ...served.values()],
          toolName: (tool) => names.get(tool) ?? served.get(tool) ?? toolName(tool),
          missingServers: missing,
        });
      },
      // The SDK's hook knows only the text; its other properties are there, and undefined.
      onMessage: ({ text }) => session.onMessage({ ...this.#takeFrom(text), text }),
      decide: async (call, wait) => {
        const decision = await session.decide(call, wait);
        if (decision.kind === "deny" && decision.endTurn)
          this.#end = { status: "ended-by-policy", why: decision.reason };
        return decision;
      },
      onStop: async (request): Promise<StopDecision> => {
        const decision = await session.onStop(request);
        if (decision.done) this.#end = { status: decision.status, why: decision.why };
        return decision;
      },
    });
  }

  begin({ text: _, ...from }: IncomingMessage, offered: Offered): void {
    this.#offered = offered;
    this.#first = from;
    this.#later = { sender: from.sender };
    this.#steered = [];
    this.#end = undefined;
  }

  /** Call this before sending a steering message to the runtime. */
  expect(message: IncomingMessage): void {
    this.#steered = [...this.#steered, message];
  }

  /** `undefined` if the turn broke off before Conduct's hook ran. */
  get end(): SeenEnd | undefined {
    return this.#end;
  }

  /**
   * Steered messages are recognised by their text, because the runtime uses its own ids. Any other message is from the
   * turn's sender.
   */
  #takeFrom(text: string): From {
    const from = this.#first;
    this.#first = undefined;
    if (from !== undefined) return from;
    const steered = this.#steered.find((one) => one.text === text);
    if (steered === undefined) return this.#later;
    this.#steered = this.#steered.filter((one) => one !== steered);
    const { text: _, ...rest } = steered;
    return rest;
  }
}
