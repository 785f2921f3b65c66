import { asObject, asString } from "../../../base/kernel/json.ts";
import type { Clock } from "../../../base/ports/clock.ts";
import type { Ids } from "../../../base/ports/ids.ts";
import type { GivenAnswer } from "../../../base/ports/stores/hosting/questions.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { Sender } from "../../../base/words/hosting/channel.ts";
import type { User } from "../../../base/words/hosting/user.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { API_RUNTIME, answerMoment, describeSession, originOf } from "../../../edge/host/moments/answer-moments.ts";
import type { OpenBody } from "../../../edge/host/moments/moment-bodies.ts";
import { MomentError } from "../../../edge/host/moments/moment-error.ts";
import { remoteCommands, remoteFilesystem } from "../../../edge/host/moments/remote-machine.ts";
import { localHost, peekSession } from "../../../edge/host/opening/local-host.ts";
import type { Conduct } from "../../../engine/session/conduct.ts";
import type { PersistentSession, SessionSaves } from "../../../engine/session/persistent-session.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import type { Approvals } from "../agents/approvals.ts";
import type { Used } from "../conversations/live-conversations.ts";
import { type Hold, type Ownership, SOLE_OWNER } from "../replicas/ownership.ts";

export type ApiSessionsOptions = {
  readonly conduct: Conduct;
  readonly sessions: SessionSaves["store"];
  readonly approvals: Approvals;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly userOf: (id: string) => Promise<User | undefined>;
  readonly historyOf: (session: string) => Promise<readonly ConductEvent[]>;
  /** Other gateways on the same store; none by default. */
  readonly ownership?: Ownership;
};

/** What a program or a person does in a session. It is JSON, so that it can travel to the gateway that owns the session. */
export type MomentAct =
  | { readonly kind: "open"; readonly user: string; readonly body: OpenBody }
  | {
      readonly kind: "moment";
      readonly user: string;
      readonly moment: string;
      readonly body: unknown;
      readonly sender?: Sender;
    }
  | ({ readonly kind: "answer"; readonly user: string; readonly approval: string } & GivenAnswer);

/** A `MomentError` as JSON. */
type Failure = {
  readonly failed: { readonly status: number; readonly code: string; readonly message: string; readonly fix?: string };
};

/** Sessions unused for this long leave the memory; the store still has them. */
const IDLE_MS = 10 * 60_000;

/**
 * Sessions of agents that run elsewhere and ask over HTTP. Each belongs to the user whose token opened it. On a shared
 * store a gateway owns a session, and those above it, for the time of one request.
 */
export class ApiSessions {
  readonly #options: ApiSessionsOptions;
  readonly #ownership: Ownership;
  readonly #host: ReturnType<typeof localHost>;
  /** Monotonic time of the last use, by id. */
  readonly #used = new Map<string, number>();
  readonly #zones = new Map<string, string | undefined>();

  constructor(options: ApiSessionsOptions) {
    this.#options = options;
    this.#ownership = options.ownership ?? SOLE_OWNER;
    const { conduct, sessions, approvals, clock, historyOf } = options;
    const saves: SessionSaves = {
      store: sessions,
      now: () => clock.now(),
      onFailure: "reject",
      history: historyOf,
      onLost: (id) => conduct.sessions.release(id),
    };
    this.#host = localHost(conduct, {
      agent: "",
      saves,
      sessionOptions: ({ cwd, user = "", agent = "" }) => ({
        sender: { role: "user", user },
        zone: this.#zones.get(user),
        filesystem: remoteFilesystem(cwd),
        commands: remoteCommands,
        approver: {
          ask: ({ input: _, ...question }, signal) => approvals.ask({ ...question, agent, user }, signal),
        },
      }),
    });
    approvals.deliverBy(({ session, user, approval }, given) =>
      this.#perform<boolean>(session, { kind: "answer", user, approval, ...given }),
    );
  }

  /** Rejects with a `MomentError` if the agent is unknown. */
  async open(body: OpenBody, { id: user }: User): Promise<ReturnType<typeof describeSession>> {
    const { conduct, ids } = this.#options;
    const { agent } = body;
    if (agent === undefined) throw new MomentError(400, "BAD_INPUT", "agent: is required");
    if (!conduct.agents.some(({ name }) => name === agent))
      throw new MomentError(404, "NOT_FOUND", `There is no agent '${agent}'.`, "List the agents with GET /api/agents.");
    const { id } = originOf(body, { user, newId: () => ids.next("s") });
    return this.#perform(id, { kind: "open", user, body });
  }

  /** Rejects with a `MomentError` unless the session was opened over HTTP by this user and has not ended. */
  moment<T>(id: string, moment: string, user: string, body: unknown, sender?: Sender): Promise<T> {
    return this.#perform(id, { kind: "moment", user, moment, body, sender });
  }

  /** Performs an act if this process owns the session or can take it. Otherwise it says who owns it. */
  async performHere(id: string, act: MomentAct): Promise<Used<Json>> {
    const holds: Hold[] = [];
    try {
      for (const one of await this.#family(id, act)) {
        const hold = await this.#ownership.take(one);
        if (hold.kind === "theirs") return { kind: "there", replica: hold.replica };
        holds.push(hold);
        if (!hold.isUnbroken) this.#options.conduct.sessions.release(one);
      }
      return { kind: "here", value: await this.#performOwned(id, act) };
    } catch (error) {
      if (!(error instanceof MomentError)) throw error;
      const { status, code, message, fix } = error;
      return { kind: "here", value: { failed: { status, code, message, fix } } };
    } finally {
      for (const hold of holds) if (hold.kind === "mine") await hold.give();
    }
  }

  async #perform<T>(id: string, act: MomentAct): Promise<T> {
    for (;;) {
      const done = await this.performHere(id, act);
      const reply =
        done.kind === "here" ? done : await this.#ownership.ask(done.replica, id, act as unknown as JsonObject);
      if (reply === undefined) continue;
      const { failed } = asObject(reply.value) as Partial<Failure>;
      if (failed === undefined) return reply.value as T;
      throw new MomentError(failed.status, failed.code, failed.message, failed.fix);
    }
  }

  async #performOwned(id: string, act: MomentAct): Promise<Json> {
    switch (act.kind) {
      case "open":
        return describeSession(await this.#open(id, act.body, act.user)) as unknown as Json;
      case "moment": {
        const { moment, body, sender } = act;
        return (await answerMoment(await this.#find(id, act.user), moment, body, { sender })) as unknown as Json;
      }
      case "answer":
        return this.#options.approvals.settle(act.approval, act) || this.#answerLate(id, act);
    }
  }

  /** A session's save also saves the sessions above it, so a gateway needs all of them. */
  async #family(id: string, act: MomentAct): Promise<readonly string[]> {
    if (!this.#ownership.isShared) return [id];
    const family = [id];
    for (let above = act.kind === "open" ? act.body.parent : await this.#parentOf(id); above !== undefined; ) {
      family.push(above);
      above = await this.#parentOf(above);
    }
    return family;
  }

  async #parentOf(id: string): Promise<string | undefined> {
    const { conduct, sessions } = this.#options;
    const details = (await conduct.sessions.findSaved(id))?.details ?? (await peekSession(sessions, id))?.beside;
    return asString(asObject(asObject(details?.own).origin).parent) || undefined;
  }

  async #open(id: string, body: OpenBody, user: string): Promise<SessionMoments> {
    if (body.parent !== undefined) await this.#find(body.parent, user);
    this.#zones.set(user, (await this.#options.userOf(user))?.zone);
    this.#use(id);
    const session = await this.#host.open(originOf(body, { user, newId: () => id }));
    await session.flush();
    return session;
  }

  async #find(id: string, user: string): Promise<SessionMoments> {
    const { conduct, sessions, approvals, userOf } = this.#options;
    const live = await conduct.sessions.findSaved(id);
    const owner = live && ownerOf(live.details);
    if (live !== undefined && owner === user) {
      this.#use(id);
      return live;
    }
    const saved = live === undefined ? await peekSession(sessions, id) : undefined;
    if (saved === undefined || ownerOf(saved.beside) !== user)
      throw new MomentError(404, "NOT_FOUND", `There is no session '${id}'.`, "Open one with POST /api/v1/sessions.");
    if (saved.snapshot === "")
      throw new MomentError(410, "SESSION_ENDED", `Session '${id}' has ended.`, "Open a new one.");
    const origin = asObject(asObject(saved.beside.own).origin);
    this.#zones.set(user, (await userOf(user))?.zone);
    this.#use(id);
    const session = await this.#host.open({
      ...{ runtime: API_RUNTIME, id, user, cwd: asString(origin.cwd) || "/" },
      agent: asString(saved.beside.agent),
      channel: asString(origin.channel) || API_RUNTIME,
    });
    for (const question of (session as PersistentSession).local.openQuestions())
      await approvals.adopt({ ...question, session: id, agent: asString(saved.beside.agent), user });
    return session;
  }

  /** Unloads idle sessions. Their open calls stay open in the store. */
  async sweep(): Promise<void> {
    const { conduct, clock } = this.#options;
    for (const [id, at] of this.#used) {
      if (at > clock.monotonic() - IDLE_MS) continue;
      this.#used.delete(id);
      await (await conduct.sessions.findSaved(id))?.close();
      conduct.sessions.release(id);
    }
  }

  #use(id: string): void {
    this.#used.set(id, this.#options.clock.monotonic());
  }

  /** The call no longer waits: a yes admits the same call once. */
  async #answerLate(
    id: string,
    { user, approval, answer, by }: Extract<MomentAct, { kind: "answer" }>,
  ): Promise<boolean> {
    const session = await this.#find(id, user).catch(() => undefined);
    const { local } = (session ?? {}) as Partial<PersistentSession>;
    const isOpen =
      local?.openQuestions().some((open) => open.approval === approval) ||
      local?.alwaysAllowed().some((grant) => grant.id === approval);
    if (session === undefined || isOpen !== true) return false;
    await session.resolve(approval, answer, by);
    return true;
  }
}

/** The user of a session that was opened over HTTP; `undefined` for every other one. */
export function ownerOf({ own }: JsonObject): string | undefined {
  const { runtime, user } = asObject(asObject(own).origin);
  return runtime === API_RUNTIME && typeof user === "string" ? user : undefined;
}
