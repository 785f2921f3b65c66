import type { InstructionsStore } from "../../base/ports/stores/instructions.ts";
import type { MemoryStore } from "../../base/ports/stores/memory.ts";
import type {
  InstructionItem,
  ToldInstructions,
  ToldMemory,
  UserAgent,
} from "../../base/words/hosting/instructions.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { BuiltPrompt } from "../../base/words/prompt.ts";
import { renderInstructions, renderNotes, sawItems, seenSlice } from "../../behavior/instructions/judge-change.ts";
import { channelProfile } from "../../behavior/prompt/channel-profiles.ts";
import { resultBudget } from "../../behavior/results/truncate-result.ts";
import { inflightSlice } from "../../behavior/session/calls.ts";
import { identitySlice, turnSlice } from "../../behavior/session/session-identity.ts";
import { agentName, emit, reportFault, type SessionContext, viewOf, windowOf } from "../session/session-context.ts";
import { type ConductTool, conductTools } from "../tools/conduct-tool.ts";
import type { UserContext } from "../tools/tool-run.ts";
import { previewUpdate } from "../tools/update-instructions.ts";
import { GATHER_MS, withinLimit } from "./gather.ts";
import { resultsSlice } from "./shorten-result.ts";

/** A user's instructions as rendered in the prompt, with what the model has seen of them. */
export type ReadInstructions = {
  readonly rendered: ToldInstructions;
  readonly items?: readonly InstructionItem[];
  /** Ids of the instructions shown in full. */
  readonly shown?: readonly string[];
};

/** How many notes are considered for a preloaded digest. */
const PRELOAD = 50;

/** The tools that Conduct adds to the agent's own. */
export function toolsOf(context: SessionContext): readonly ConductTool[] {
  const result = async () => {
    const window = windowOf(context);
    const { toolResultShare, turnResultShare } = context.compiled.agent.limits;
    return {
      session: context.id,
      results: context.ports.results,
      counter: await context.ports.counter(context.model),
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

/** Previews how a call of `update_instructions` would change them. Returns `undefined` if no preview is possible. */
export async function previewInstructions(context: SessionContext, args: JsonObject): Promise<string | undefined> {
  const shown = await withinLimit(GATHER_MS, () => previewUpdate(args, userContext(context)));
  return "fault" in shown ? undefined : shown.value;
}

/** The user's instructions for the prompt. A failed read is reported and gives the last known ones, never "none". */
export async function instructionsForPrompt(
  context: SessionContext,
  limit: number,
): Promise<ToldInstructions | undefined> {
  const { instructions: store } = context.ports;
  const owner = ownerOf(context);
  if (store === undefined || owner === undefined) return undefined;
  // Rendering is inside the limit too: an invalid answer counts as a failed read.
  const done = await withinLimit(limit, async (): Promise<ReadInstructions> => {
    const { items } = await store.read(owner);
    const { text, more, shown } = renderInstructions({ items });
    return { rendered: { kind: "current", text, more }, items, shown };
  });
  const last = context.lastInstructions?.agent === owner.agent ? context.lastInstructions.read : undefined;
  if ("fault" in done) reportFault(context, { where: "instructions", ...done.fault });
  const read = "value" in done ? done.value : staleInstructions(last);
  context.lastInstructions = { agent: owner.agent, read };
  context.instructionReads.set(read.rendered, read);
  return read.rendered;
}

function staleInstructions(last: ReadInstructions | undefined): ReadInstructions {
  if (last === undefined || last.rendered.kind === "unreadable") return { rendered: { kind: "unreadable" } };
  return { ...last, rendered: { ...last.rendered, kind: "stale" } };
}

/** The user's memory for the prompt, with the newest notes that fit; `undefined` if there is none. */
export async function memoryForPrompt(context: SessionContext, limit: number): Promise<ToldMemory | undefined> {
  const { memory: store } = context.ports;
  const owner = ownerOf(context);
  const mode = context.compiled.agent.memory ?? "on-demand";
  if (store === undefined || owner === undefined || mode === "off") return undefined;
  if (mode === "on-demand") return { kind: "on-demand" };
  const read = await withinLimit(limit, async (): Promise<ToldMemory> => {
    const { notes, total } = await store.search(owner, { limit: PRELOAD });
    const { text, shown } = renderNotes(notes);
    return { kind: "preload", text, more: total - shown };
  });
  if ("value" in read) return read.value;
  reportFault(context, { where: "memory", ...read.fault });
  return { kind: "unreadable" };
}

/** Records which instructions the model has seen. A section truncated by the budget counts as not seen. */
export function markInstructionsSeen(
  context: SessionContext,
  { sections, cuts }: BuiltPrompt,
  rendered: ToldInstructions | undefined,
): void {
  const isTheirs = ({ contributor }: { readonly contributor: string }) => contributor === "builtin:user-instructions";
  const read = rendered === undefined ? undefined : context.instructionReads.get(rendered);
  if (read === undefined || !sections.some(isTheirs) || cuts.some(isTheirs)) return;
  const { items = [], shown = [] } = read;
  context.slices = context.slices.with(seenSlice, sawItems(context.slices.get(seenSlice), items, shown));
}

/**
 * The owner of this session's instructions and memory. A blank user is nobody, or all such sessions would share them.
 */
function ownerOf(context: SessionContext): UserAgent | undefined {
  const { user } = context.slices.get(identitySlice);
  return user === undefined || user.trim() === "" ? undefined : { user, agent: agentName(context) };
}

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

/** Whether a person is present who may change the instructions. A subagent only hears from its parent. */
function isInteractive(context: SessionContext): boolean {
  const { interactive } = channelProfile(viewOf(context).channel, context.ports.channels);
  const { sender = context.sender } = context.slices.get(turnSlice);
  const another = sender?.user !== undefined && sender.user !== context.slices.get(identitySlice).user;
  return interactive && context.parent === undefined && sender?.role !== "viewer" && !another;
}

/** Open calls that share the turn's remaining result budget. */
function openCalls({ slices }: SessionContext): number {
  return [...slices.get(inflightSlice)].filter(([, { settling }]) => settling !== true).length;
}

/** Limits the store for a tool: a store that hangs or answers invalidly rejects, so no tool call waits forever. */
function limitedInstructions(store: InstructionsStore, limitMs: number): InstructionsStore {
  return {
    read: async (owner) => {
      const read = await inTime(limitMs, () => store.read(owner));
      if (!Array.isArray(read?.items)) throw new TypeError("the store returned no instructions");
      return read;
    },
    write: (owner, after, next) => inTime(limitMs, () => store.write(owner, after, next)),
    version: (owner, version) => inTime(limitMs, () => store.version(owner, version)),
  };
}

/** Same limits as `limitedInstructions`. */
function limitedMemory(store: MemoryStore, limitMs: number): MemoryStore {
  return {
    save: (owner, note) => inTime(limitMs, () => store.save(owner, note)),
    search: async (owner, query) => {
      const found = await inTime(limitMs, () => store.search(owner, query));
      if (!Array.isArray(found?.notes)) throw new TypeError("the store returned no notes");
      return found;
    },
  };
}

async function inTime<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
  const done = await withinLimit(limitMs, work);
  if ("fault" in done) throw new Error(done.fault.message);
  return done.value;
}
