import type { CallInput } from "../../base/words/call.ts";
import type { Decision } from "../../base/words/decision.ts";
import type { ToldInstructions, ToldMemory, UserAgent } from "../../base/words/instructions.ts";
import type { BuiltPrompt } from "../../base/words/prompt.ts";
import { sawItems, seenSlice } from "../../behavior/instructions/seen.ts";
import { channelProfile } from "../../behavior/prompt/channel-profiles.ts";
import { DEFAULT_WINDOW, resultBudget } from "../../behavior/results/turn-result-state.ts";
import { identitySlice } from "../../behavior/session/identity.ts";
import { inflightSlice } from "../../behavior/session/inflight.ts";
import { turnSlice } from "../../behavior/session/turn.ts";
import { type ConductTool, conductTools } from "../tools/conduct-tool.ts";
import { readMemory as readMemoryTool } from "../tools/read-memory.ts";
import { previewUpdate, updateInstructions } from "../tools/update-instructions.ts";
import type { UserContext } from "../tools/user-context.ts";
import { GATHER_MS } from "./gather.ts";
import { limitedInstructions, limitedMemory } from "./limited-stores.ts";
import { SessionMessages } from "./session-messages.ts";
import type { Delivered } from "./session-results.ts";
import { resultsSlice } from "./shorten-result.ts";
import { type ReadInstructions, readInstructions, readMemory } from "./told-user.ts";
import { withinLimit } from "./within-limit.ts";

/** What belongs to the user of a session: standing instructions, memory, and the tools that change them. */
export class SessionUser extends SessionMessages {
  /** The last read, of which agent: another agent's instructions are not this one's. */
  #last: { readonly agent: string; readonly read: ReadInstructions } | undefined;
  /** What each prompt was told, so that two prompts at once do not take each other's items for seen. */
  readonly #reads = new WeakMap<ToldInstructions, ReadInstructions>();

  /** Who is asked about standing instructions sees what would change in them. */
  override async onCall(input: CallInput): Promise<Decision> {
    const decision = await super.onCall(input);
    if (decision.kind !== "ask" || input.tool !== updateInstructions.name) return decision;
    const shown = await withinLimit(GATHER_MS, () => previewUpdate(decision.input ?? input.args, this.#context()));
    if ("fault" in shown || shown.value === undefined) return decision;
    return { ...decision, question: `${decision.question}\n${shown.value}` };
  }

  /** Of what read_memory gave and was then cut after all, nobody knows what the model has seen. */
  override async onResult(...given: Parameters<SessionMessages["onResult"]>): Promise<Delivered> {
    const delivered = await super.onResult(...given);
    const [{ tool }] = given;
    if (tool === readMemoryTool.name && delivered.changed) {
      this.slices = this.slices.with(seenSlice, seenSlice.initial);
    }
    return delivered;
  }

  /** What Conduct gives this agent besides its own tools. */
  tools(): readonly ConductTool[] {
    const window = () => this.window ?? DEFAULT_WINDOW;
    const result = async () => ({
      session: this.id,
      results: this.ports.results,
      counter: await this.ports.counter(),
      window: window(),
      share: this.compiled.agent.limits.toolResultShare,
      budget: resultBudget(this.slices.get(resultsSlice), {
        window: window(),
        turnShare: this.compiled.agent.limits.turnResultShare,
        parallel: this.#underWay(),
      }),
    });
    return conductTools(
      () => this.compiled.agent,
      result,
      () => this.#context(),
    );
  }

  /** Calls that share what this turn's results may still take. */
  #underWay(): number {
    return [...this.slices.get(inflightSlice)].filter(([, { settling }]) => settling !== true).length;
  }

  /** What the tools of a user work with: whose they are is the session's to say. */
  #context(): UserContext {
    const { instructions, memory } = this.ports;
    const { limits, memory: mode } = this.compiled.agent;
    const limit = limits.gatherMs ?? GATHER_MS;
    return {
      owner: this.owner,
      interactive: this.#isInteractive(),
      session: this.id,
      instructions: instructions === undefined ? undefined : limitedInstructions(instructions, limit),
      memory: memory === undefined || mode === "off" ? undefined : limitedMemory(memory, limit),
      ids: this.ports.ids,
      now: () => this.clock.now(),
      seen: {
        get: () => this.slices.get(seenSlice),
        set: (next) => {
          this.slices = this.slices.with(seenSlice, next);
        },
      },
      emit: (event) => this.emit(event),
    };
  }

  /** Somebody who may say what the agent shall always do is there. A subagent hears only its parent. */
  #isInteractive(): boolean {
    const { interactive } = channelProfile(this.view.channel, this.ports.channels);
    const { sender = this.sender } = this.slices.get(turnSlice);
    const another = sender?.user !== undefined && sender.user !== this.slices.get(identitySlice).user;
    return interactive && this.parent === undefined && sender?.role !== "viewer" && !another;
  }

  /** What the prompt says of them. A store that fails is told, and never taken for an empty one. */
  protected async readInstructions(limit: number): Promise<ToldInstructions | undefined> {
    const { instructions: store } = this.ports;
    const { owner } = this;
    if (store === undefined || owner === undefined) return undefined;
    const last = this.#last?.agent === owner.agent ? this.#last.read : undefined;
    const read = await readInstructions(store, owner, last, limit);
    if (read.fault !== undefined) this.fault({ where: "instructions", ...read.fault });
    this.#last = { agent: owner.agent, read };
    this.#reads.set(read.told, read);
    return read.told;
  }

  /** What the prompt says of the memory; nothing where there is none. */
  protected async readMemory(limit: number): Promise<ToldMemory | undefined> {
    const { memory: store } = this.ports;
    const { owner } = this;
    const mode = this.compiled.agent.memory ?? "on-demand";
    if (store === undefined || owner === undefined || mode === "off") return undefined;
    if (mode === "on-demand") return { kind: "on-demand" };
    const read = await readMemory(store, owner, limit);
    if (read.fault !== undefined) this.fault({ where: "memory", ...read.fault });
    return read.told;
  }

  /** Of a section that the budget has cut nobody knows which items the model can still read. */
  protected sawInstructions({ sections, cuts }: BuiltPrompt, told: ToldInstructions | undefined): void {
    const isTheirs = ({ contributor }: { readonly contributor: string }) => contributor === "builtin:user-instructions";
    const read = told === undefined ? undefined : this.#reads.get(told);
    if (read === undefined || !sections.some(isTheirs) || cuts.some(isTheirs)) return;
    const { items = [], shown = [] } = read;
    this.slices = this.slices.with(seenSlice, sawItems(this.slices.get(seenSlice), items, shown));
  }

  /** Whose instructions and memory this session has. A user without a name is nobody, or all who have none would share. */
  protected get owner(): UserAgent | undefined {
    const { user } = this.slices.get(identitySlice);
    return user === undefined || user.trim() === "" ? undefined : { user, agent: this.agent };
  }
}
