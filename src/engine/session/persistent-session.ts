import { errorText } from "../../base/kernel/error-text.ts";
import { asObject, isObject } from "../../base/kernel/json.ts";
import type { SessionsStore } from "../../base/ports/stores/sessions.ts";
import type { CallInput } from "../../base/words/call.ts";
import type { Decision, Denial, Observing, Question } from "../../base/words/decision.ts";
import type { ConductEvent, Notice } from "../../base/words/event.ts";
import type { Sender } from "../../base/words/hosting/channel.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { Modes } from "../../base/words/modes.ts";
import { newDenial } from "../../behavior/policy/render-denial.ts";
import type { ExecInput } from "../moments/exec.ts";
import type { ConductTool } from "../tools/conduct-tool.ts";
import { LOST_NOTE, type LostState, lostStateOf } from "./lost-state.ts";
import type { Session } from "./session.ts";
import type { SessionMoments } from "./session-moments.ts";
import { type IncomingMessage, SessionError, type SessionOptions } from "./session-options.ts";
import { StateWriter } from "./state-writer.ts";

export type SessionSaves = {
  readonly store: Pick<SessionsStore, "load" | "save" | "append" | "setAside">;
  readonly now: () => number;
  /**
   * `reject`: every moment is saved before it answers. An unsaved answer is never returned, and after a failed save the
   * session rejects everything. `deny`: calls are saved before they answer, results with the next save or a moment
   * later, and the host flushes the rest. A call that could not be saved is denied, and the next save covers the failed
   * one. A call whose result was not saved counts as one with an unknown outcome.
   */
  readonly onFailure: "reject" | "deny";
  /** Saves results before they answer too: whoever cannot reach a shared store may have lost the session to another. */
  readonly isShared?: boolean;
  /** All known events of a session, used when its saved state is damaged. */
  readonly history?: (id: string) => Promise<readonly ConductEvent[]>;
  /** Lets only one process at a time decide for a session. Rejects with the name of the other process. */
  readonly leases?: { acquire(id: string): Promise<void>; release(id: string): Promise<void> };
  /** Called when memory and saved state differ: the owner must drop the session. */
  readonly onLost?: (id: string) => void;
  /** Writes the events so far. Called at a stop, so that another process finds the whole turn in the store. */
  readonly flushEvents?: () => Promise<void>;
  /** The command that answers a question of the session. */
  readonly answerCommand?: (approval: string) => string;
  /** Returns the sender with their current role; a message may have waited since it was sent. */
  readonly currentSender?: (sender: Sender) => Promise<Sender>;
};

/** How a session starts: from its saved state, from the remains of a damaged one, or empty. */
export type Beginning = Pick<SessionOptions, "snapshot" | "lost">;

type PersistentInit = {
  readonly saves: SessionSaves;
  /** Data saved with the state; the next process opens the session with it. */
  readonly details: JsonObject;
  readonly version: number;
  readonly lost?: LostState;
  /** The parent is saved first, so that it never knows less than its child. */
  readonly parent?: PersistentSession;
};

/**
 * Opens a saved session once this process has its lease. An unusable state, also one of a newer version, is set aside
 * as evidence, and the session restarts from its events. Rejects only if the store is unavailable.
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
    const {
      version = 0,
      snapshot = "",
      beside: savedDetails = {},
    } = saved === undefined || "damage" in saved ? {} : saved;
    let damage = saved !== undefined && "damage" in saved ? saved.damage : undefined;
    if (damage === undefined) {
      try {
        const { session, details = {}, parent } = await open(snapshot === "" ? {} : { snapshot }, savedDetails);
        return new PersistentSession(session, { saves, details, version, parent });
      } catch (error) {
        damage = whyUnusable(error);
      }
    }
    await store.setAside(id, damage, saves.now());
    const events = (await saves.history?.(id).catch(() => [])) ?? [];
    const lost = { ...lostStateOf(damage, events), note: LOST_NOTE };
    const { session, details = {}, parent } = await open({ lost }, savedDetails);
    return new PersistentSession(session, { saves, details, version: 0, lost, parent });
  } catch (error) {
    await leases?.release(id);
    throw error;
  }
}

/** How long a result waits for the next save. */
const SOON_MS = 50;

/** A session whose state is stored before any decision is returned. Used by gateway and daemon. */
export class PersistentSession implements SessionMoments {
  readonly local: Session;
  readonly lost: LostState | undefined;
  readonly #saves: SessionSaves;
  readonly #isStrict: boolean;
  readonly #parent: PersistentSession | undefined;
  readonly #writer = new StateWriter();
  #details: JsonObject;
  #savedDetails: string | undefined;
  #version: number;
  #saving: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

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

  /** Saves a question as soon as it is asked, so that it can be answered during the wait or after a restart. */
  async decide(...[call, wait = {}]: Parameters<SessionMoments["decide"]>): Promise<Decision> {
    const onAsking = (asked: Question) => {
      void this.flush().catch(() => undefined);
      wait.onAsking?.(this.withCommand(asked));
    };
    return this.#answerCall(call, await this.local.decide(call, { ...wait, onAsking }));
  }

  async resolve(...given: Parameters<Session["resolve"]>): Promise<void> {
    this.local.resolve(...given);
    await this.flush();
  }

  async onResult(...given: Parameters<SessionMoments["onResult"]>): ReturnType<SessionMoments["onResult"]> {
    const delivered = await this.local.onResult(...given);
    if (this.#isStrict) await this.save();
    else if (this.#saves.isShared === true) await this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), SOON_MS);
    return delivered;
  }

  onExec(exec: ExecInput): Promise<Decision> {
    return this.#answer(this.local.onExec(exec).then((decision) => this.withCommand(decision)));
  }

  async onExecEnd(...given: Parameters<Session["onExecEnd"]>): Promise<void> {
    this.local.onExecEnd(...given);
    await this.flush();
  }

  async onStop(...given: Parameters<SessionMoments["onStop"]>): ReturnType<SessionMoments["onStop"]> {
    const stopping = this.local.onStop(...given);
    const flushed = stopping.then(() => this.flushEvents());
    const [decision] = await Promise.all([this.#answer(stopping), flushed]);
    return decision;
  }

  /** Not awaited: the next moment is saved after this one, and fails if this one failed. */
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

  /** Exists in this process only. A host that saves subagents opens them itself. */
  child(id: string): Session {
    return this.local.child(id);
  }

  /** Saves; a failure is handled according to `onFailure`. */
  flush(): Promise<void> {
    return this.#isStrict ? this.save() : this.save().catch((error: unknown) => this.#reportUnsaved(error));
  }

  /** Writes the events so far, where the host does that at a stop. */
  async flushEvents(): Promise<void> {
    await this.#saves.flushEvents?.();
  }

  /**
   * Runs a moment on the session in memory, and saves the details that `keep` returns in one write with the state that
   * the moment led to. Rejects if that fails, whatever `onFailure` says.
   */
  async answerWith<T>(moment: (local: Session) => Promise<T>, keep: (value: T) => JsonObject): Promise<T> {
    const value = await moment(this.local);
    this.#details = { ...this.#details, ...keep(value) };
    await this.save();
    return value;
  }

  /** Adds the command with which a person answers a question. */
  withCommand<T extends Decision>(decision: T): T {
    const { answerCommand } = this.#saves;
    if (decision.kind !== "ask" || answerCommand === undefined) return decision;
    return { ...decision, answer: answerCommand(decision.approval) };
  }

  /** Merges into the saved details. Resolves when they are saved. */
  async saveDetails(details: JsonObject): Promise<void> {
    this.#details = { ...this.#details, ...details };
    await this.save();
  }

  /** Resolves when the current state, or a later one, is stored. Saves run one after another. */
  async save(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#parent?.save();
    const before = this.#isStrict ? this.#saving : this.#saving.catch(() => undefined);
    const saving = before.then(() => this.#write());
    this.#saving = saving;
    return saving;
  }

  /** Saves the rest and releases the lease. Never rejects: an unreleased lease expires. */
  async close(): Promise<void> {
    await this.flush().catch(() => undefined);
    await this.#saves.leases?.release(this.id).catch(() => undefined);
  }

  async #answer<T>(moment: Promise<T>): Promise<T> {
    const value = await moment;
    if (this.#isStrict) await this.save();
    return value;
  }

  /** A call whose decision could not be saved is denied. */
  async #answerCall(call: CallInput, decision: Decision): Promise<Decision> {
    try {
      await this.save();
      return this.withCommand(decision);
    } catch (error) {
      if (this.#isStrict) throw error;
      this.#reportUnsaved(error);
      if (decision.kind !== "allow") return decision;
      await this.local.onResult(call, { outcome: "cancelled", parts: [] });
      return unsavedCall(decision.id, errorText(error));
    }
  }

  #reportUnsaved(error: unknown): void {
    const fault = { where: "gateway", code: "state-not-kept", message: errorText(error) };
    this.local.notice({ kind: "fault", fault });
  }

  /** Writes the state unless it is already stored. */
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
      // Only the id of an ended session stays in the store.
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

/** Rethrows the error unless it means that the saved state is unusable. */
function whyUnusable(error: unknown): string {
  const isState = error instanceof SessionError && /^(snapshot-|foreign-snapshot$)/.test(error.code);
  if (!isState) throw error;
  return error.message.replace(/\. Nothing was opened;.*$/s, "");
}

function isDamaged(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SESSION_DAMAGED";
}

function unsavedCall(id: string, why: string): Denial {
  const reason = `The decision could not be saved, so the call did not run: ${why}.`;
  return newDenial({
    id,
    rule: "conduct",
    code: "unreachable",
    reason,
    next: "Stop and tell the person you work for.",
  });
}
