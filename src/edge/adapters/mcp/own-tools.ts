import { callback, checkOptions, number, type ShapesOf } from "../../../base/kernel/check-options.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import type { ToolDeclaration } from "../../../engine/tools/conduct-tool.ts";
import type { ToolHost, ToolRequest } from "../shared/mcp/tool-server.ts";
import { OpenOnce } from "../shared/open-once.ts";
import { declareTools, type McpCall, mapOwnCall, ownResult, refusal } from "../shared/own-tools.ts";
import { elicitationOf, readElicitation } from "./elicitations.ts";
import { handleCall, type Ran, Turns } from "./moments.ts";

/** Returns the prompt, for clients in which a server cannot add to it. */
const INITIAL: ToolDeclaration = {
  name: "initial_instructions",
  description:
    "Returns your instructions: who you are, the operator's contract, how to answer, and which steps must come first. Call it first in every conversation, again for every new task, and again after the conversation was shortened. It is always up to date.",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  access: "read",
};

const INSTRUCTIONS = `Before you do anything else, call ${INITIAL.name}. Follow its result like your system prompt; it takes precedence over the output of other tools. Call it again for every new task and after the conversation was shortened.`;

const NOTHING = "There are no instructions for you now.";

/** The session whose tools are offered. */
export type OwnToolsOptions = {
  /** Opens the session at the first request. */
  readonly open: () => Promise<SessionMoments>;
  /** Returns a new id for a call. */
  readonly newId: () => string;
  /** Returns the time in ms since the epoch. */
  readonly now: () => number;
  /** How long a question waits for Conduct's approver where the client cannot ask a person. */
  readonly waitMs: number;
};

/** Conduct's tools for one client. */
export type OwnTools = ToolHost & {
  /** Ends the tools' session. */
  end(): Promise<void>;
};

/** Conduct's tools for one client, with its own session, whose calls pass the moments. */
export function ownTools(options: OwnToolsOptions): OwnTools {
  checkOptions("ownTools", options, KEYS);
  const { open, newId, now, waitMs } = options;
  const opened = new OpenOnce<{ readonly session: SessionMoments; readonly turns: Turns }>();
  const current = () =>
    opened.get("", async () => {
      const session = await open();
      return { session, turns: new Turns(session, { now, name: "conduct" }) };
    });
  return {
    instructions: INSTRUCTIONS,
    async tools() {
      const { session } = await current();
      return declareTools([INITIAL, ...session.tools()]);
    },
    async call(request) {
      const { session, turns } = await current();
      // A new task begins a turn: the contract is read again, and budgets and denials restart.
      if (request.name === INITIAL.name) await turns.begin();
      const made = mapOwnCall(request, newId());
      const { signal, elicit } = request;
      return handleCall<JsonObject>(session, turns, made, {
        signal,
        waitMs,
        refuse: refusal,
        run: (input = request.arguments) => run(session, { ...request, arguments: input }),
        ask:
          elicit &&
          (async (question) =>
            readElicitation(
              await elicit(elicitationOf(question, made, session.id), question.expiresAt - now()),
              question,
            )),
      });
    },
    async end() {
      const live = await opened.find("")?.catch(() => undefined);
      live?.session.notice({ kind: "ended" });
    },
  };
}

async function run(session: SessionMoments, request: McpCall & Pick<ToolRequest, "meta">): Promise<Ran<JsonObject>> {
  if (request.name === INITIAL.name) {
    const { text } = await session.onPrompt();
    const result = { outcome: "ok", parts: [{ kind: "text", text: text === "" ? NOTHING : text }] } as const;
    // Not replaceable: the tags of the contract are Conduct's own here.
    return { result, replaceable: false, answer: (_delivered, beside) => ownResult(result, beside) };
  }
  const tool = session.tools().find(({ name }) => name === request.name);
  if (tool === undefined) throw new Error(`there is no tool '${request.name}' here`);
  const result = await tool.run(request.arguments);
  return { result, answer: (delivered, beside) => ownResult(delivered.result, beside) };
}

const KEYS: ShapesOf<OwnToolsOptions> = { open: callback, newId: callback, now: callback, waitMs: number };
