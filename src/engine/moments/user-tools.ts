import type { ToldInstructions, ToldMemory, UserAgent } from "../../base/words/hosting/instructions.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { BuiltPrompt } from "../../base/words/prompt.ts";
import { sawItems, seenSlice } from "../../behavior/instructions/seen.ts";
import { channelProfile } from "../../behavior/prompt/channel-profiles.ts";
import { DEFAULT_WINDOW, resultBudget } from "../../behavior/results/turn-result-state.ts";
import { identitySlice } from "../../behavior/session/identity.ts";
import { inflightSlice } from "../../behavior/session/inflight.ts";
import { turnSlice } from "../../behavior/session/turn.ts";
import { agentName, emit, reportFault, type SessionContext, viewOf } from "../session/session-context.ts";
import { type ConductTool, conductTools } from "../tools/conduct-tool.ts";
import type { UserContext } from "../tools/tool-run.ts";
import { previewUpdate } from "../tools/update-instructions.ts";
import { GATHER_MS } from "./gather.ts";
import { limitedInstructions, limitedMemory } from "./limited-stores.ts";
import { resultsSlice } from "./shorten-result.ts";
import { readInstructions, readMemory } from "./told-user.ts";
import { withinLimit } from "./within-limit.ts";

/** The tools that Conduct gives the agent, next to the agent's own. */
export function toolsOf(context: SessionContext): readonly ConductTool[] {
  const result = async () => {
    const window = context.window ?? DEFAULT_WINDOW;
    const { toolResultShare, turnResultShare } = context.compiled.agent.limits;
    return {
      session: context.id,
      results: context.ports.results,
      counter: await context.ports.counter(),
      window,
      share: toolResultShare,
      budget: resultBudget(context.slices.get(resultsSlice), {
        window,
        turnShare: turnResultShare,
        parallel: openCalls(context),
      }),
    };
  };
  return conductTools(
    () => context.compiled.agent,
    result,
    () => userContext(context),
  );
}

/** Shows how a call of `update_instructions` would change them. `undefined` when that cannot be shown. */
export async function previewInstructions(context: SessionContext, args: JsonObject): Promise<string | undefined> {
  const shown = await withinLimit(GATHER_MS, () => previewUpdate(args, userContext(context)));
  return "fault" in shown ? undefined : shown.value;
}

/** The user's instructions for the prompt. A store that fails is reported, and never read as empty. */
export async function instructionsForPrompt(
  context: SessionContext,
  limit: number,
): Promise<ToldInstructions | undefined> {
  const { instructions: store } = context.ports;
  const owner = ownerOf(context);
  if (store === undefined || owner === undefined) return undefined;
  const last = context.lastInstructions?.agent === owner.agent ? context.lastInstructions.read : undefined;
  const read = await readInstructions(store, owner, last, limit);
  if (read.fault !== undefined) reportFault(context, { where: "instructions", ...read.fault });
  context.lastInstructions = { agent: owner.agent, read };
  context.instructionReads.set(read.told, read);
  return read.told;
}

/** The user's memory for the prompt; `undefined` where there is none. */
export async function memoryForPrompt(context: SessionContext, limit: number): Promise<ToldMemory | undefined> {
  const { memory: store } = context.ports;
  const owner = ownerOf(context);
  const mode = context.compiled.agent.memory ?? "on-demand";
  if (store === undefined || owner === undefined || mode === "off") return undefined;
  if (mode === "on-demand") return { kind: "on-demand" };
  const read = await readMemory(store, owner, limit);
  if (read.fault !== undefined) reportFault(context, { where: "memory", ...read.fault });
  return read.told;
}

/** Notes which instructions the model has seen. A section that the budget has cut counts as not seen. */
export function markInstructionsSeen(
  context: SessionContext,
  { sections, cuts }: BuiltPrompt,
  told: ToldInstructions | undefined,
): void {
  const isTheirs = ({ contributor }: { readonly contributor: string }) => contributor === "builtin:user-instructions";
  const read = told === undefined ? undefined : context.instructionReads.get(told);
  if (read === undefined || !sections.some(isTheirs) || cuts.some(isTheirs)) return;
  const { items = [], shown = [] } = read;
  context.slices = context.slices.with(seenSlice, sawItems(context.slices.get(seenSlice), items, shown));
}

/** Whose instructions and memory this session uses. A blank user is nobody; else all sessions without a user would share them. */
function ownerOf(context: SessionContext): UserAgent | undefined {
  const { user } = context.slices.get(identitySlice);
  return user === undefined || user.trim() === "" ? undefined : { user, agent: agentName(context) };
}

/** What the user's tools work with. */
function userContext(context: SessionContext): UserContext {
  const { instructions, memory, ids } = context.ports;
  const { limits, memory: mode } = context.compiled.agent;
  const limit = limits.gatherMs ?? GATHER_MS;
  return {
    owner: ownerOf(context),
    interactive: isInteractive(context),
    session: context.id,
    instructions: instructions === undefined ? undefined : limitedInstructions(instructions, limit),
    memory: memory === undefined || mode === "off" ? undefined : limitedMemory(memory, limit),
    ids,
    now: () => context.clock.now(),
    seen: {
      get: () => context.slices.get(seenSlice),
      set: (next) => {
        context.slices = context.slices.with(seenSlice, next);
      },
    },
    emit: (event) => emit(context, event),
  };
}

/** Whether somebody is there who may change the standing instructions. A subagent hears only its parent. */
function isInteractive(context: SessionContext): boolean {
  const { interactive } = channelProfile(viewOf(context).channel, context.ports.channels);
  const { sender = context.sender } = context.slices.get(turnSlice);
  const another = sender?.user !== undefined && sender.user !== context.slices.get(identitySlice).user;
  return interactive && context.parent === undefined && sender?.role !== "viewer" && !another;
}

/** Open calls that share what this turn's results may still take. */
function openCalls({ slices }: SessionContext): number {
  return [...slices.get(inflightSlice)].filter(([, { settling }]) => settling !== true).length;
}
