import type { Agent, AgentMessage, AgentTurnContext } from "@earendil-works/pi-agent-core";
import type { PiMoments } from "../shared/pi/moments.ts";
import { withPrompt } from "../shared/pi/translate.ts";

const NAMES = [
  "beforeToolCall",
  "afterToolCall",
  "finishTurn",
  "prepareRequest",
  "prepareNextTurnWithContext",
  "transformContext",
] as const;

type Hooks = Pick<Agent, (typeof NAMES)[number]>;

export function hooksOf(agent: Agent): Hooks {
  const set = NAMES.flatMap((name) => (agent[name] === undefined ? [] : [[name, agent[name]]]));
  return Object.fromEntries(set) as Hooks;
}

export function setHooks(agent: Agent, hooks: Hooks): void {
  for (const name of NAMES) {
    if (hooks[name] === undefined) delete agent[name];
    else Object.assign(agent, { [name]: hooks[name] });
  }
}

/** Throws if a hook was replaced: a run without it would not be enforced. */
export function assertHooked(agent: Agent, hooks: Hooks): void {
  const lost = NAMES.filter((name) => agent[name] !== hooks[name]);
  if (lost.length === 0) return;
  throw new Error(`Conduct is turned off: ${lost.join(", ")} of this agent was set after conductPi. Set it before.`);
}

type Run = {
  /** Whether every call of the current batch asked to end the run. */
  terminates(): boolean;
  /** The message to the model with the reason why it may not stop. */
  refusal(text: string): AgentMessage;
};

/** Runs the agent's own hooks first, then Conduct's, which so decides on the final input and sees the final result. */
export function conductHooks(agent: Agent, own: Hooks, moments: PiMoments, run: Run): Required<Hooks> {
  return {
    async beforeToolCall(context, signal) {
      const theirs = await own.beforeToolCall?.(context, signal);
      return theirs?.block === true ? theirs : moments.before(context, signal);
    },
    async afterToolCall(context, signal) {
      const theirs = await own.afterToolCall?.(context, signal);
      const result = {
        ...context.result,
        content: theirs?.content ?? context.result.content,
        details: theirs?.details ?? context.result.details,
        usage: theirs?.usage ?? context.result.usage,
      };
      const ours = await moments.after({ ...context, result, isError: theirs?.isError ?? context.isError }, signal);
      return theirs === undefined ? ours : { ...theirs, ...ours };
    },
    async finishTurn(turn, signal) {
      const theirs = (await own.finishTurn?.(turn, signal)) ?? undefined;
      const stopping = theirs === undefined && signal?.aborted !== true && isStopping(agent, turn, run);
      return (await moments.finish(turn.message, stopping)) ?? theirs;
    },
    async prepareRequest(request, signal) {
      const theirs = (await own.prepareRequest?.(request, signal)) ?? undefined;
      const tools = (theirs?.context ?? request.context).tools ?? agent.state.tools;
      const thinkingLevel = await moments.prepare(
        theirs?.model ?? request.model,
        tools.map(({ name }) => name),
        theirs?.thinkingLevel ?? request.thinkingLevel,
      );
      return thinkingLevel === undefined ? theirs : { ...theirs, thinkingLevel };
    },
    async prepareNextTurnWithContext(turn, signal) {
      const theirs =
        own.prepareNextTurnWithContext === undefined
          ? await agent.prepareNextTurn?.(signal)
          : await own.prepareNextTurnWithContext(turn, signal);
      const refusal = moments.takeRefusal();
      if (refusal === undefined) return theirs;
      return { ...theirs, messages: [...(theirs?.messages ?? []), run.refusal(refusal)] };
    },
    async transformContext(messages, signal) {
      const theirs = (await own.transformContext?.(messages, signal)) ?? messages;
      moments.shows(theirs);
      return withPrompt(theirs, moments.prompt);
    },
  };
}

/** Would Pi end the run now? Not while messages are queued. */
function isStopping(agent: Agent, { message }: AgentTurnContext, run: Run): boolean {
  const calls = message.content.some((block) => block.type === "toolCall");
  const spoken = message.stopReason === "stop" || message.stopReason === "length" || message.stopReason === "toolUse";
  return spoken && (!calls || run.terminates()) && !agent.hasQueuedMessages();
}
