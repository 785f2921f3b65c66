import type { JsonObject } from "../../../../base/words/json.ts";
import type { AgentInput } from "../../../../engine/agent/define-agent.ts";
import type { SessionHost, SessionOrigin } from "../../../../engine/session/session-moments.ts";
import type { SessionOptions } from "../../../../engine/session/session-options.ts";
import { testConduct } from "../../../../engine/session/test/test-conduct.ts";
import { type OpencodeOptions, opencodeHooks } from "../adapter.ts";
import type { MessagePart, OpencodeClient, PromptBody, TranscriptMessage, UserMessage } from "../native.ts";

const MODEL = { providerID: "scripted", modelID: "m" };
const TITLE = "You write titles.";

type TestOptions = OpencodeOptions & {
  readonly session?: Partial<SessionOptions>;
  /** Overrides for the stand-in of OpenCode's API. */
  readonly client?: (client: OpencodeClient) => Partial<OpencodeClient>;
  readonly host?: (host: SessionHost) => SessionHost;
};

/** OpenCode as seen by a plugin, with a Conduct in this process; each method is one action of OpenCode. */
export function testOpencode(agent: Partial<AgentInput> = {}, options: TestOptions = {}) {
  const world = testConduct(agent);
  const origins: SessionOrigin[] = [];
  const local: SessionHost = {
    async open(origin) {
      origins.push(origin);
      const known = world.conduct.find(origin.id);
      const parent = origin.parent === undefined ? undefined : world.conduct.find(origin.parent);
      return known ?? parent?.child(origin.id, options.session) ?? world.open({ id: origin.id, ...options.session });
    },
  };
  const toasts: string[] = [];
  const prompts: { readonly id: string; readonly body: PromptBody; readonly waited: boolean }[] = [];
  const aborted: string[] = [];
  const parents = new Map<string, string>();
  /** Handles a prompt that Conduct sends and waits for. */
  let answer = async (_: { readonly id: string; readonly body: PromptBody }): Promise<void> => undefined;
  const client: OpencodeClient = {
    session: {
      get: async ({ path: { id } }) => {
        const parentID = parents.get(id);
        return { data: { id, ...(parentID === undefined ? {} : { parentID }) } };
      },
      abort: async ({ path: { id } }) => ({ data: aborted.push(id) }),
      async prompt({ path: { id }, body }) {
        prompts.push({ id, body, waited: true });
        await answer({ id, body });
        return { data: {} };
      },
      promptAsync: async ({ path: { id }, body }) => ({ data: prompts.push({ id, body, waited: false }) }),
    },
    app: {
      agents: async () => ({
        data: [{ name: "build" }, { name: "title", prompt: TITLE }],
      }),
    },
    mcp: { status: async () => ({ data: { shop: { status: "connected" } } }) },
    tui: { showToast: async ({ body }) => ({ data: toasts.push(body.message) }) },
  };
  const input = { client: { ...client, ...options.client?.(client) }, directory: "/w" };
  const argv = options.argv ?? ["bun", "/index.js", "serve"];
  const hooks = opencodeHooks(options.host?.(local) ?? local, input, {
    argv,
    ...(options.waitMs === undefined ? {} : { waitMs: options.waitMs }),
  });

  return {
    ...world,
    hooks,
    origins,
    toasts,
    prompts,
    aborted,
    answerBy(next: typeof answer) {
      answer = next;
    },
    child: (id: string, parent = "s") => parents.set(id, parent),
    /** Sends a message; returns the version that OpenCode would store. */
    async say(said: string | readonly MessagePart[], id = "s", agent = "build") {
      const parts: MessagePart[] = typeof said === "string" ? [{ type: "text", text: said }] : [...said];
      const message: UserMessage = { agent, model: MODEL };
      await hooks["chat.message"]({ sessionID: id }, { message, parts });
      return { message, parts };
    },
    /** Conduct's own prompt comes back as a message. */
    async take({ id, body }: { readonly id: string; readonly body: PromptBody }) {
      await hooks["chat.message"](
        { sessionID: id },
        { message: { agent: body.agent, model: body.model }, parts: [...body.parts] },
      );
    },
    async request(id = "s", parts: TranscriptMessage["parts"] = [], own = "You are OpenCode."): Promise<string> {
      if (own !== TITLE) {
        await hooks["experimental.chat.messages.transform"]({}, { messages: [{ info: { sessionID: id }, parts }] });
      }
      const system = [own];
      const model = { id: "m", providerID: "scripted", limit: { context: 9_000 } };
      await hooks["experimental.chat.system.transform"]({ sessionID: id, model }, { system });
      return system.join("\n\n");
    },
    title: TITLE,
    /** Reports a call that is about to run; rejects if it is blocked. */
    async call(callID: string, tool: string, args: object, id = "s") {
      await hooks["tool.execute.before"]({ tool, sessionID: id, callID }, { args });
      return args;
    },
    async ran(callID: string, tool: string, args: object, output: object, id = "s") {
      const use = { tool, sessionID: id, callID, args };
      await hooks["tool.execute.after"](use, output);
      return output;
    },
    async tell(type: string, properties: JsonObject) {
      await hooks.event({ event: { type, properties } });
    },
    /** The model has answered and OpenCode is idle; resolves when Conduct has handled it. */
    async idle(text = "Done.", id = "s") {
      await hooks["experimental.text.complete"]({ sessionID: id }, { text });
      await hooks.event({ event: { type: "session.idle", properties: { sessionID: id } } });
      await hooks.dispose();
    },
  };
}
