import { errorText } from "../../../base/kernel/error-text.ts";
import type { Session } from "../../../engine/moments/session.ts";
import type { HookEvent } from "./native.ts";
import type { Totals } from "./observe.ts";
import { Told } from "./told.ts";

/** A call that was let through and has no result yet. `key` is what was decided on. */
type OpenCall = { readonly tool: string; readonly key: string };

/** The main thread or one subagent: a session, the step it is in, and the calls under way in it. */
export type Scope = {
  readonly session: Session;
  readonly name: string;
  step: number;
  readonly open: Map<string, OpenCall>;
};

/** A subagent's calls are a child session's: its steps are its own, and what it proves is not its parent's proof. */
export class Scopes {
  readonly main: Scope;
  readonly totals: Totals = new Map();
  readonly told = new Told();
  readonly #children = new Map<string, Scope>();

  constructor(session: Session) {
    this.main = scopeOf(session, "main");
  }

  /** The scope an event belongs to; a subagent seen for the first time gets its session. Throws when it cannot have one. */
  of({ agent_id }: Pick<HookEvent, "agent_id">): Scope {
    if (agent_id === undefined) return this.main;
    const known = this.#children.get(agent_id);
    if (known !== undefined) return known;
    const scope = scopeOf(this.main.session.child(`${this.main.session.id}/${agent_id}`), agent_id);
    this.#children.set(agent_id, scope);
    return scope;
  }

  /** The scope of a subagent that has been seen; the runtime also reports the end of helpers that never began. */
  find(agent: string | undefined): Scope | undefined {
    return agent === undefined ? this.main : this.#children.get(agent);
  }

  /** What verbose mode has to show the person, of the subagents too. */
  takeDebug(): string | undefined {
    const scopes = [this.main, ...this.#children.values()];
    const texts = scopes.flatMap(({ session }) => session.takeDebug() ?? []);
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
    for (const { session } of [...this.#children.values(), this.main]) session.notice({ kind: "ended", reason });
    this.#children.clear();
  }

  /** Whose call is under way under this id. */
  holding(call: string): Scope | undefined {
    return [this.main, ...this.#children.values()].find(({ open }) => open.has(call));
  }
}

const ofSessions = new WeakMap<Session, Scopes>();

/** The same for every query of a session: a subagent that an earlier query started can go on in a later one. */
export function scopesOf(session: Session): Scopes {
  const scopes = ofSessions.get(session) ?? new Scopes(session);
  ofSessions.set(session, scopes);
  return scopes;
}

function scopeOf(session: Session, name: string): Scope {
  return { session, name, step: 1, open: new Map() };
}

/** Calls between two `PostToolBatch` are one model response. */
export function stepOf({ name, step }: Scope): string {
  return `${name}-${step}`;
}
