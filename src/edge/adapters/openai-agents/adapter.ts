import { checkOptions, object, optional, type ShapesOf } from "../../../base/kernel/check-options.ts";
import type { MessageResult } from "../../../engine/moments/message.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import type { IncomingMessage } from "../../../engine/session/session-options.ts";
import type { TurnEnd } from "../shared/ask-session.ts";
import { joinTexts } from "../shared/content.ts";
import { AgentMoments, GUARD_KEYS, type GuardOptions } from "../shared/framework/agent-moments.ts";
import type { Ended } from "../shared/framework/tool-result.ts";
import type { AgentsSdk, AnyTool, FunctionTool, NativeAgent, RunResult } from "./native.ts";
import { argumentsOf, asAgentsTool, assertGuardable, isErrorText, isFunctionTool, ownFinality } from "./translate.ts";

/** How a session runs in the OpenAI Agents SDK. */
export type OpenAiAgentsOptions = GuardOptions & {
  /** The module `@openai/agents`; imported by default. */
  readonly sdk?: object;
};

/** A session in the OpenAI Agents SDK. One run at a time. */
export type ConductedAgents = {
  /** Handles a person's message: run the agent with `text`; with a `reply`, show that and run nothing. */
  message(message: string | IncomingMessage): Promise<MessageResult>;
  /** A copy of the agent, and of the agents it hands off to, with Conduct's prompt and tools, all tools guarded. */
  agent<A extends object>(agent: A): Promise<A>;
  /** The SDK's `run` for an agent from `agent()`. While the session refuses the stop, the agent runs again. */
  run<A extends object, I, O extends object>(agent: A, input: I, options?: O): Promise<ConductedRun>;
  /** How the last turn ended; `undefined` while it runs. */
  readonly end: TurnEnd | undefined;
};

/** The result of the last run, as the SDK returns it. */
// biome-ignore lint/suspicious/noExplicitAny: the types of the SDK are not needed here
export type ConductedRun = any;

/** Runs agents of the OpenAI Agents SDK under a session. */
export function conductAgents(session: SessionMoments, options: OpenAiAgentsOptions = {}): ConductedAgents {
  checkOptions("conductAgents", options, KEYS);
  const { sdk: given, ...guard } = options;
  const moments = new AgentMoments(session, "openai-agents", guard);
  const copies = new WeakMap<object, NativeAgent>();
  let requests = 0;

  const load = async () => (given ?? (await importSdk())) as AgentsSdk;

  function guarded(tool: AnyTool): AnyTool {
    assertGuardable(tool);
    if (!isFunctionTool(tool)) return tool;
    const { name, invoke } = tool;
    const guardedInvoke: FunctionTool["invoke"] = async (context, text, details) => {
      const id = details?.toolCall?.callId ?? crypto.randomUUID();
      const input = argumentsOf(text);
      const signal = details?.signal;
      const verdict = await moments.call({ id, name, input, step: `request-${requests}`, signal });
      if (verdict.kind === "refused") return verdict.text;
      const deliver = async (ended: Ended, value: unknown) => {
        const delivery = await moments.result(id, ended);
        return delivery.kind === "same" ? value : delivery.text;
      };
      let value: unknown;
      try {
        value = await invoke(context, verdict.input === input ? text : JSON.stringify(verdict.input), details);
      } catch (error) {
        await deliver({ error, aborted: signal?.aborted === true }, undefined);
        throw error;
      }
      if (isErrorText(value)) return deliver({ error: new Error(value) }, value);
      return deliver({ value }, value);
    };
    return { ...tool, invoke: guardedInvoke };
  }

  async function copy(agent: NativeAgent): Promise<NativeAgent> {
    const known = copies.get(agent);
    if (known !== undefined) return known;
    const sdk = await load();
    const made = agent.clone({});
    copies.set(agent, made);
    copies.set(made, made);
    made.handoffs = await Promise.all(agent.handoffs.map((one) => (isAgent(one) ? copy(one) : one)));
    const conducts = session.observing === "shadow" ? [] : session.tools().map((tool) => asAgentsTool(tool, sdk));
    const { toolUseBehavior, modelSettings } = agent;
    const all = made.getAllTools.bind(made);
    const systemPrompt = made.getSystemPrompt.bind(made);
    let names: readonly string[] = [];
    made.getAllTools = async (...about) => {
      // The SDK asks for the tools before every request.
      requests += 1;
      const tools = [...conducts, ...(await all(...about))];
      names = tools.map(({ name }) => name);
      return tools.map(guarded);
    };
    made.getSystemPrompt = async (...about) => {
      moments.tellModel(typeof agent.model === "string" ? agent.model : undefined);
      if (names.length === 0) names = (await made.getAllTools(about[0])).map(({ name }) => name);
      return joinTexts([await systemPrompt(...about), await moments.prompt(names)]);
    };
    made.toolUseBehavior = async (context, results) =>
      moments.endedByPolicy
        ? { isFinalOutput: true, finalOutput: moments.end?.why ?? "" }
        : ownFinality(toolUseBehavior, context, results);
    const hasExplicit = made.hasExplicitModelSettings.bind(made);
    made.hasExplicitModelSettings = () => moments.thinking !== undefined || hasExplicit();
    Object.defineProperty(made, "modelSettings", {
      get: () => {
        const effort = moments.thinking;
        return effort === undefined
          ? modelSettings
          : { ...modelSettings, reasoning: { ...modelSettings.reasoning, effort } };
      },
    });
    return made;
  }

  return {
    get end() {
      return moments.end;
    },
    message: (message) => moments.message(message),
    async agent<A extends object>(agent: A): Promise<A> {
      return (await copy(agent as unknown as NativeAgent)) as unknown as A;
    },
    async run(agent, input, about) {
      if (!copies.has(agent)) throw new Error("Pass an agent from agent(): this one is not under Conduct.");
      if ((about as { stream?: boolean } | undefined)?.stream === true)
        throw new Error("A streamed run ends before its stop can be refused. Use the SDK's own run for it.");
      const { run } = await load();
      let next: unknown = input;
      for (;;) {
        const result = await run(agent, next, about);
        tellUsage(result);
        // A person is asked; the application resumes with `result.state`.
        if ((result.interruptions?.length ?? 0) > 0) return result;
        const refusal = await moments.stop({ reason: "end_turn", output: result.finalOutput });
        if (refusal === undefined) return result;
        next = [...result.history, { role: "user", content: refusal }];
      }
    },
  };

  function tellUsage({ rawResponses = [] }: RunResult): void {
    for (const { usage } of rawResponses) moments.spent(usage?.inputTokens, usage?.outputTokens);
  }
}

function isAgent(value: unknown): value is NativeAgent {
  return typeof value === "object" && value !== null && "clone" in value && "getAllTools" in value;
}

async function importSdk(): Promise<unknown> {
  // Computed, so that neither the build nor the type check needs the package.
  const name: string = "@openai/agents";
  try {
    return await import(name);
  } catch (cause) {
    throw new Error("agent-conduct/openai-agents needs the package '@openai/agents': npm install @openai/agents", {
      cause,
    });
  }
}

const KEYS: ShapesOf<OpenAiAgentsOptions> = { ...GUARD_KEYS, sdk: optional(object) };
