import { randomUUID } from "node:crypto";
import { errorText } from "../../../../base/kernel/error-text.ts";
import type { SessionMoments } from "../../../../engine/session/session-moments.ts";
import { joinTexts } from "../content.ts";
import { OpenOnce } from "../open-once.ts";
import { tellFault } from "../refusals.ts";
import type { HookEvent } from "./native.ts";

/** A call that was allowed, or put to a person (`asked`), and has no result yet. `key` identifies the decided input. */
type OpenCall = { readonly tool: string; readonly key: string; readonly asked?: boolean };

/** The main thread or one subagent: its session, the open step and the open calls. */
export type Scope = {
  readonly session: SessionMoments;
  readonly name: string;
  /** Distinguishes its steps from those of an earlier process with the same session. */
  readonly run: string;
  step: number;
  /** Number of calls in the open step, without one that ends the turn. */
  calls: number;
  readonly open: Map<string, OpenCall>;
};

/** The part of a scope that is stored across restarts. */
export type StoredScope = Pick<Scope, "run" | "step"> & { readonly open: ReadonlyMap<string, OpenCall> };

/** One child session per subagent: its steps are its own, and its evidence does not count for its parent. */
export class Scopes {
  readonly main: Scope;
  /** State of the structured output that ends the turn. */
  final: "none" | "checked" | "unchecked" = "none";
  readonly #stored: ReadonlyMap<string, StoredScope>;
  readonly #openChild: (id: string) => SessionMoments | Promise<SessionMoments>;
  readonly #children = new Map<string, Scope>();
  readonly #opening = new OpenOnce<Scope>();

  /** `stored`: steps and open calls of a process that has ended. */
  constructor(
    session: SessionMoments,
    openChild: (id: string) => SessionMoments | Promise<SessionMoments>,
    stored: ReadonlyMap<string, StoredScope> = new Map(),
  ) {
    this.#stored = stored;
    this.main = this.#scopeOf(session, "main");
    this.#openChild = openChild;
  }

  /** The scope of an event; opens the session of a new subagent. Rejects when that fails. */
  async of({ agent_id }: Pick<HookEvent, "agent_id">): Promise<Scope> {
    if (agent_id === undefined) return this.main;
    return this.#children.get(agent_id) ?? this.#opening.get(agent_id, () => this.#open(agent_id));
  }

  /** The scope of a known subagent; the runtime also reports the end of helpers whose start it did not report. */
  find(agent: string | undefined): Scope | undefined {
    return agent === undefined ? this.main : this.#children.get(agent);
  }

  /** The main thread first, then every known subagent. */
  all(): readonly Scope[] {
    return [this.main, ...this.#children.values()];
  }

  /** Debug lines for the person, subagents included. */
  takeDebug(): string | undefined {
    return joinTexts(this.all().map(({ session }) => session.takeDebug())) || undefined;
  }

  /** Reports a fault of the adapter to the operator. Never throws. */
  tell(where: string, error: unknown, code = "hook"): void {
    try {
      tellFault(this.main.session, `claude ${where}`, code, errorText(error));
    } catch {
      // The failure itself is answered where it happened.
    }
  }

  /** Ends every session, the subagents' first. */
  end(reason: string): void {
    for (const { session } of this.all().toReversed()) session.notice({ kind: "ended", reason });
    for (const agent of this.#children.keys()) this.#opening.forget(agent);
    this.#children.clear();
  }

  holding(call: string): Scope | undefined {
    return this.all().find(({ open }) => open.has(call));
  }

  async #open(agent: string): Promise<Scope> {
    const scope = this.#scopeOf(await this.#openChild(`${this.main.session.id}/${agent}`), agent);
    this.#children.set(agent, scope);
    return scope;
  }

  #scopeOf(session: SessionMoments, name: string): Scope {
    const { run = randomUUID().slice(0, 8), step = 1, open = [] } = this.#stored.get(name) ?? {};
    return { session, name, run, step, calls: 0, open: new Map(open) };
  }
}

/**
 * Later calls belong to another model response. A message and a stop end a step too: after an interruption the runtime
 * reports no `PostToolBatch`.
 */
export function openNextStep(scope: Scope): void {
  scope.step += 1;
  scope.calls = 0;
}

/** Calls between two `PostToolBatch` events belong to one model response. */
export function stepOf({ name, run, step }: Scope): string {
  return `${name}-${run}-${step}`;
}
