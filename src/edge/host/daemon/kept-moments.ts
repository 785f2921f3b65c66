import { asObject, asString, isObject } from "../../../base/kernel/json.ts";
import type { Question } from "../../../base/words/decision.ts";
import type { Notice } from "../../../base/words/event.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { Session } from "../../../engine/moments/session.ts";
import type { SessionMoments, SessionOrigin } from "../../../engine/moments/session-moments.ts";
import { answerable } from "./answerable.ts";
import { readOrigin } from "./serve-sessions.ts";
import type { SessionKeeper } from "./session-keeper.ts";

type Started = Omit<Extract<Notice, { kind: "started" }>, "kind">;

/** Where a session comes from, and what the runtime has told of it since. */
export type KeptOrigin = { readonly origin: SessionOrigin; readonly started?: Started };

/** The origin of a session that `KeptMoments` has kept, as it was first told; `undefined` where something else has kept it. */
export function keptOrigin({ origin }: JsonObject, id: string): SessionOrigin | undefined {
  return isObject(origin) ? readOrigin({ ...origin, id }) : undefined;
}

/** What stands beside a kept session. It stays in the folder and below the parent that it was opened with. */
export function readKeptOrigin(beside: JsonObject, asked: SessionOrigin): KeptOrigin {
  const { origin, started } = beside;
  const { cwd, parent } = asObject(origin);
  const { adapter, model, window } = asObject(started);
  return {
    origin: {
      ...asked,
      ...(typeof cwd === "string" ? { cwd } : {}),
      ...(typeof parent === "string" ? { parent } : {}),
    },
    started: {
      ...(adapter === undefined ? {} : { adapter: asString(adapter) }),
      ...(model === undefined ? {} : { model: asString(model) }),
      ...(typeof window === "number" ? { window } : {}),
    },
  };
}

/** A session whose every moment is kept before anybody hears what came of it. */
export class KeptMoments implements SessionMoments {
  readonly id: string;
  readonly #session: Session;
  readonly #keeper: SessionKeeper;
  #kept: KeptOrigin;

  constructor(session: Session, kept: KeptOrigin, keeper: SessionKeeper) {
    this.id = session.id;
    this.#session = session;
    this.#kept = kept;
    this.#keeper = keeper;
  }

  get ended(): boolean {
    return this.#session.ended;
  }

  onMessage(...given: Parameters<SessionMoments["onMessage"]>): ReturnType<SessionMoments["onMessage"]> {
    return this.#then(this.#session.onMessage(...given));
  }

  onPrompt(...given: Parameters<SessionMoments["onPrompt"]>): ReturnType<SessionMoments["onPrompt"]> {
    return this.#then(this.#session.onPrompt(...given));
  }

  onCall(...given: Parameters<SessionMoments["onCall"]>): ReturnType<SessionMoments["onCall"]> {
    return this.#then(this.#session.onCall(...given));
  }

  async resolve(...given: Parameters<Session["resolve"]>): Promise<void> {
    this.#session.resolve(...given);
    await this.#save();
  }

  flush(): Promise<void> {
    return this.#save();
  }

  /** A question is kept as soon as it is asked: it can be answered while the call waits, and when this process is gone. */
  decide(...[call, wait = {}]: Parameters<SessionMoments["decide"]>): ReturnType<SessionMoments["decide"]> {
    const onAsking = (asked: Question) => {
      void this.#save().catch(() => undefined);
      wait.onAsking?.(answerable(asked));
    };
    return this.#then(this.#session.decide(call, { ...wait, onAsking }).then(answerable));
  }

  onResult(...given: Parameters<SessionMoments["onResult"]>): ReturnType<SessionMoments["onResult"]> {
    return this.#then(this.#session.onResult(...given));
  }

  onStop(...given: Parameters<SessionMoments["onStop"]>): ReturnType<SessionMoments["onStop"]> {
    return this.#then(this.#session.onStop(...given));
  }

  /** Nobody waits for it here; the next moment is kept after it, and fails when this could not be. */
  notice(notice: Notice): void {
    if (notice.kind === "started") {
      const { kind: _, ...started } = notice;
      this.#kept = { ...this.#kept, started: { ...this.#kept.started, ...started } };
    }
    this.#session.notice(notice);
    void this.#save().catch(() => undefined);
  }

  takeDebug(): string | undefined {
    return this.#session.takeDebug();
  }

  tools(): ReturnType<SessionMoments["tools"]> {
    return this.#session.tools().map((tool) => ({ ...tool, run: (args) => this.#then(tool.run(args)) }));
  }

  async #then<T>(moment: Promise<T>): Promise<T> {
    const came = await moment;
    await this.#save();
    return came;
  }

  #save(): Promise<void> {
    const { origin, started = {} } = this.#kept;
    return this.#keeper.save(this.#session, { origin: { ...origin }, started: { ...started } });
  }
}
