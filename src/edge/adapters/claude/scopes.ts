import { randomUUID } from "node:crypto";
import { errorText } from "../../../base/kernel/error-text.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import type { HookEvent } from "./native.ts";

/** A call that was let through, or put to a person (`asked`), and has no result yet. `key` is what was decided on. */
export type OpenCall = { readonly tool: string; readonly key: string; readonly asked?: boolean };

/** The main thread or one subagent: a session, the step it is in, and the calls under way in it. */
export type Scope = {
  readonly session: SessionMoments;
  readonly name: string;
  /** Tells its steps from those of another process that had the same session. */
  readonly run: string;
  step: number;
  /** Calls of the open step so far, but for one that ends the turn. */
  calls: number;
  readonly open: Map<string, OpenCall>;
};

/** What of a scope outlasts its process. */
export type KeptScope = Pick<Scope, "run" | "step"> & { readonly open: ReadonlyMap<string, OpenCall> };

/** A subagent's calls are a child session's: its steps are its own, and what it proves is not its parent's proof. */
export class Scopes {
  readonly main: Scope;
  /** What became of the structured output that is to end the turn. */
  final: "none" | "checked" | "unchecked" = "none";
  readonly #kept: ReadonlyMap<string, KeptScope>;
  readonly #openChild: (id: string) => SessionMoments | Promise<SessionMoments>;
  readonly #children = new Map<string, Scope>();
  readonly #opening = new Map<string, Promise<Scope>>();

  /** With `kept`, the steps and the calls under way are those of another process that was ended. */
  constructor(
    session: SessionMoments,
    openChild: (id: string) => SessionMoments | Promise<SessionMoments>,
    kept: ReadonlyMap<string, KeptScope> = new Map(),
  ) {
    this.#kept = kept;
    this.main = this.#scopeOf(session, "main");
    this.#openChild = openChild;
  }

  /** The scope an event belongs to; a subagent seen for the first time gets its session. Rejects when it cannot have one. */
  async of({ agent_id }: Pick<HookEvent, "agent_id">): Promise<Scope> {
    if (agent_id === undefined) return this.main;
    const known = this.#children.get(agent_id) ?? this.#opening.get(agent_id);
    if (known !== undefined) return known;
    const opening = this.#open(agent_id).finally(() => this.#opening.delete(agent_id));
    this.#opening.set(agent_id, opening);
    return opening;
  }

  /** The scope of a subagent that has been seen; the runtime also reports the end of helpers that never began. */
  find(agent: string | undefined): Scope | undefined {
    return agent === undefined ? this.main : this.#children.get(agent);
  }

  /** The main thread first, then every subagent that has been seen. */
  all(): readonly Scope[] {
    return [this.main, ...this.#children.values()];
  }

  /** What verbose mode has to show the person, of the subagents too. */
  takeDebug(): string | undefined {
    const texts = this.all().flatMap(({ session }) => session.takeDebug() ?? []);
    return texts.length === 0 ? undefined : texts.join("\n\n");
  }

  /** The operator sees what failed in the adapter; a session that cannot even take that must not make it worse. */
  tell(where: string, error: unknown, code = "hook"): void {
    try {
      this.main.session.notice({
        kind: "fault",
        fault: { where: `claude ${where}`, code, message: errorText(error) },
      });
    } catch {
      // What failed is answered where it failed.
    }
  }

  /** Ends every session, the subagents' first. */
  end(reason: string): void {
    for (const { session } of this.all().toReversed()) session.notice({ kind: "ended", reason });
    this.#children.clear();
  }

  /** Whose call is under way under this id. */
  holding(call: string): Scope | undefined {
    return this.all().find(({ open }) => open.has(call));
  }

  async #open(agent: string): Promise<Scope> {
    const scope = this.#scopeOf(await this.#openChild(`${this.main.session.id}/${agent}`), agent);
    this.#children.set(agent, scope);
    return scope;
  }

  #scopeOf(session: SessionMoments, name: string): Scope {
    const { run = randomUUID().slice(0, 8), step = 1, open = [] } = this.#kept.get(name) ?? {};
    return { session, name, run, step, calls: 0, open: new Map(open) };
  }
}

/** Calls between two `PostToolBatch` are one model response. */
export function stepOf({ name, run, step }: Scope): string {
  return `${name}-${run}-${step}`;
}
