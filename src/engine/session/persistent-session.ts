import { errorText } from "../../base/kernel/error-text.ts";
import { asObject, isObject } from "../../base/kernel/json.ts";
import type { SessionsStore } from "../../base/ports/stores/sessions.ts";
import type { CallInput } from "../../base/words/call.ts";
import type { Decision, Denial, Observing, Question } from "../../base/words/decision.ts";
import type { ConductEvent, Notice } from "../../base/words/event.ts";
import type { Sender } from "../../base/words/hosting/channel.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { Modes } from "../../base/words/modes.ts";
import type { ConductTool } from "../tools/conduct-tool.ts";
import { LOST_NOTE, type LostState, lostStateOf } from "./lost-state.ts";
import type { Session } from "./session.ts";
import type { SessionMoments } from "./session-moments.ts";
import { type IncomingMessage, SessionError, type SessionOptions } from "./session-options.ts";
import { StateWriter } from "./state-writer.ts";

/** Where sessions are saved, and what a host wants of them. */
export type SessionSaves = {
  readonly store: Pick<SessionsStore, "load" | "save" | "append" | "setAside">;
  readonly now: () => number;
  /**
   * `reject`: every moment is saved before it answers, and an answer that could not be saved is never given; from then on
   * the session refuses everything. `deny`: calls and results are saved before they answer, and the host flushes the rest.
   * A call that could not be saved is denied, and the next save makes up for the failed one.
   */
  readonly onFailure: "reject" | "deny";
  /** All known events of a session: what is left of one whose state is damaged. */
  readonly history?: (id: string) => Promise<readonly ConductEvent[]>;
  /** Makes sure that one process at a time decides for a session. Rejects, naming the other process. */
  readonly leases?: { acquire(id: string): Promise<void>; release(id: string): Promise<void> };
  /** The session in memory is not the saved one any more, so whoever holds it must drop it. */
  readonly onLost?: (id: string) => void;
  /** The command by which a person answers a question of the session. */
  readonly answerCommand?: (approval: string) => string;
  /** The sender with the role they have when the message is read; it may have waited since it was sent. */
  readonly currentSender?: (sender: Sender) => Promise<Sender>;
};

/** A session's beginning: its saved state, what is left of a damaged one, or nothing. */
export type Beginning = Pick<SessionOptions, "snapshot" | "lost">;

type PersistentInit = {
  readonly saves: SessionSaves;
  /** Data saved next to the state, by which the next process opens the session. */
  readonly details: JsonObject;
  readonly version: number;
  readonly lost?: LostState;
  /** Saved before this one, so that it never knows of less than happened. */
  readonly parent?: PersistentSession;
};

/**
 * Opens a session as it was saved, once this process holds its lease. A state that cannot be used, also one of a newer version,
 * is set aside as evidence, and the session begins anew with what its events say. Rejects only if the store cannot be used.
 */
export async function openPersistent(
  id: string,
  saves: SessionSaves,
  open: (
    from: Beginning,
    details: JsonObject,
  ) => Promise<{
    readonly session: Session;
    readonly details?: JsonObject;
    readonly parent?: PersistentSession;
  }>,
): Promise<PersistentSession> {
  const { store, leases } = saves;
  await leases?.acquire(id);
  try {
    const saved = await store.load(id).catch((error: unknown) => {
      if (isDamaged(error)) return { damage: errorText(error) };
      throw error;
    });
    const { version = 0, snapshot = "", beside = {} } = saved === undefined || "damage" in saved ? {} : saved;
    let damage = saved !== undefined && "damage" in saved ? saved.damage : undefined;
    if (damage === undefined) {
      try {
        const { session, details = {}, parent } = await open(snapshot === "" ? {} : { snapshot }, beside);
        return new PersistentSession(session, { saves, details, version, parent });
      } catch (error) {
        damage = whyUnusable(error);
      }
    }
    await store.setAside(id, damage, saves.now());
    const events = (await saves.history?.(id).catch(() => [])) ?? [];
    const lost = { ...lostStateOf(damage, events), note: LOST_NOTE };
    const { session, details = {}, parent } = await open({ lost }, beside);
    return new PersistentSession(session, { saves, details, version: 0, lost, parent });
  } catch (error) {
    await leases?.release(id);
    throw error;
  }
}

/** A session whose state is in the store before anybody hears what it decided. Gateway and daemon both use it. */
export class PersistentSession implements SessionMoments {
  readonly local: Session;
  /** Set when the saved state was damaged. */
  readonly lost: LostState | undefined;
  readonly #saves: SessionSaves;
  readonly #isStrict: boolean;
  readonly #parent: PersistentSession | undefined;
  readonly #writer = new StateWriter();
  #details: JsonObject;
  #savedDetails: string | undefined;
  #version: number;
  #saving: Promise<void> = Promise.resolve();

  constructor(local: Session, { saves, details, version, lost, parent }: PersistentInit) {
    this.local = local;
    this.lost = lost;
    this.#saves = saves;
    this.#isStrict = saves.onFailure === "reject";
    this.#details = details;
    this.#version = version;
    this.#parent = parent;
  }

  get id(): string {
    return this.local.id;
  }

  get observing(): Observing | undefined {
    return this.local.observing;
  }

  get modes(): Modes {
    return this.local.modes;
  }

  /** Data saved next to the state. */
  get details(): JsonObject {
    return this.#details;
  }

  async onMessage(message: IncomingMessage): ReturnType<SessionMoments["onMessage"]> {
    const { sender } = message;
    const { currentSender } = this.#saves;
    const now = sender === undefined || currentSender === undefined ? sender : await currentSender(sender);
    return this.#answer(this.local.onMessage({ ...message, sender: now }));
  }

  onPrompt(...given: Parameters<SessionMoments["onPrompt"]>): ReturnType<SessionMoments["onPrompt"]> {
    return this.#answer(this.local.onPrompt(...given));
  }

  async onCall(call: CallInput): Promise<Decision> {
    return this.#answerCall(call, await this.local.onCall(call));
  }

  /** A question is saved as soon as it is asked: it can be answered while the call waits, and after this process has ended. */
  async decide(...[call, wait = {}]: Parameters<SessionMoments["decide"]>): Promise<Decision> {
    const onAsking = (asked: Question) => {
      void this.flush().catch(() => undefined);
      wait.onAsking?.(this.#answerable(asked));
    };
    return this.#answerCall(call, await this.local.decide(call, { ...wait, onAsking }));
  }

  async resolve(...given: Parameters<Session["resolve"]>): Promise<void> {
    this.local.resolve(...given);
    await this.flush();
  }

  async onResult(...given: Parameters<SessionMoments["onResult"]>): ReturnType<SessionMoments["onResult"]> {
    const delivered = await this.local.onResult(...given);
    await this.flush();
    return delivered;
  }

  onStop(...given: Parameters<SessionMoments["onStop"]>): ReturnType<SessionMoments["onStop"]> {
    return this.#answer(this.local.onStop(...given));
  }

  /** Nothing waits for this save; the next moment is saved after it, and fails if this one did. */
  notice(notice: Notice): void {
    const { own } = this.#details;
    if (notice.kind === "started" && isObject(own)) {
      const { kind: _, ...started } = notice;
      this.#details = { ...this.#details, own: { ...own, started: { ...asObject(own.started), ...started } } };
    }
    this.local.notice(notice);
    if (this.#isStrict) void this.save().catch(() => undefined);
  }

  takeDebug(): string | undefined {
    return this.local.takeDebug();
  }

  tools(): readonly ConductTool[] {
    return this.local.tools().map((tool) => ({ ...tool, run: (args) => this.#answer(tool.run(args)) }));
  }

  /** Lives in this process only. A host that saves subagents opens them itself. */
  child(id: string): Session {
    return this.local.child(id);
  }

  /** Saves, and handles a failure as `onFailure` says. */
  flush(): Promise<void> {
    return this.#isStrict ? this.save() : this.save().catch((error: unknown) => this.#reportUnsaved(error));
  }

  /** Changes the data next to the state. Resolves when it is saved. */
  async saveDetails(details: JsonObject): Promise<void> {
    this.#details = { ...this.#details, ...details };
    await this.save();
  }

  /** Resolves when the state as it is now, or a later one, is in the store. Saves follow each other. */
  async save(): Promise<void> {
    await this.#parent?.save();
    const before = this.#isStrict ? this.#saving : this.#saving.catch(() => undefined);
    const saving = before.then(() => this.#write());
    this.#saving = saving;
    return saving;
  }

  /** Saves what is left and gives the session to whichever process asks next. Never rejects: a lease expires. */
  async close(): Promise<void> {
    await this.flush().catch(() => undefined);
    await this.#saves.leases?.release(this.id).catch(() => undefined);
  }

  async #answer<T>(moment: Promise<T>): Promise<T> {
    const value = await moment;
    if (this.#isStrict) await this.save();
    return value;
  }

  /** A call whose decision nobody would remember does not run. */
  async #answerCall(call: CallInput, decision: Decision): Promise<Decision> {
    try {
      await this.save();
      return this.#answerable(decision);
    } catch (error) {
      if (this.#isStrict) throw error;
      this.#reportUnsaved(error);
      if (decision.kind !== "allow") return decision;
      await this.local.onResult(call, { outcome: "cancelled", parts: [] });
      return unsavedCall(decision.id, errorText(error));
    }
  }

  #answerable<T extends Decision>(decision: T): T {
    const { answerCommand } = this.#saves;
    if (decision.kind !== "ask" || answerCommand === undefined) return decision;
    return { ...decision, answer: answerCommand(decision.approval) };
  }

  #reportUnsaved(error: unknown): void {
    const fault = { where: "gateway", code: "state-not-kept", message: errorText(error) };
    this.local.notice({ kind: "fault", fault });
  }

  /** Writes the state, unless it is the one that was written last. */
  async #write(): Promise<void> {
    const { store, now, onLost } = this.#saves;
    const snapshot = this.local.snapshot();
    const beside: JsonObject = { ...this.#details, agent: this.local.agent };
    const details = JSON.stringify(beside);
    const isSame = details === this.#savedDetails;
    if (this.#writer.isWritten(snapshot) && isSame) return;
    const { id } = this;
    const state = () => ({ expectedVersion: this.#version, at: now() });
    const written = async (writing: Promise<boolean>) => {
      if (!(await writing)) throw new Error(`another process has decided for session ${id} in the meantime`);
    };
    try {
      // An ended session leaves its id and nothing else.
      if (this.local.ended) await written(store.save(id, { snapshot: "", beside, ...state() }));
      else
        await this.#writer.write(snapshot, {
          save: (whole) => written(store.save(id, { snapshot: whole, beside, ...state() })),
          append: (change) => written(store.append(id, { change, beside: isSame ? undefined : beside, ...state() })),
        });
    } catch (error) {
      if (this.#isStrict) onLost?.(id);
      throw error;
    }
    this.#version += 1;
    this.#savedDetails = details;
  }
}

/** Throws the error again unless it says that the saved state cannot be used. */
function whyUnusable(error: unknown): string {
  const isState = error instanceof SessionError && /^(snapshot-|foreign-snapshot$)/.test(error.code);
  if (!isState) throw error;
  return error.message.replace(/\. Nothing was opened;.*$/s, "");
}

function isDamaged(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SESSION_DAMAGED";
}

function unsavedCall(id: string, why: string): Denial {
  return {
    kind: "deny",
    id,
    rule: "conduct",
    code: "unreachable",
    reason: `What was decided could not be kept, so the call did not run: ${why}.`,
    missing: [],
    next: "Stop and tell the person you work for.",
    others: [],
    attemptsLeft: 0,
    endTurn: false,
  };
}
