import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { errorText } from "../../base/kernel/error-text.ts";
import type { Approver } from "../../base/ports/approver.ts";
import type { EventJournal } from "../../base/ports/stores/event-journal.ts";
import type { Fault } from "../../base/words/event.ts";
import { type ClaudeCodeHooks, claudeCodeHooks } from "../../edge/adapters/claude-code/adapter.ts";
import { type CodexHooks, codexHooks } from "../../edge/adapters/codex/adapter.ts";
import { type BoundAgents, bindAgents, settingsFor } from "../../edge/host/daemon/daemon-agents.ts";
import { isPaused } from "../../edge/host/daemon/paused.ts";
import { localHost, peekSession } from "../../edge/host/opening/local-host.ts";
import { openConduct } from "../../edge/host/opening/open-conduct.ts";
import { stampOf } from "../../edge/host/workspace/file-stamp.ts";
import { keptResults } from "../../edge/stores/files/folder-results.ts";
import type { StoreKeys } from "../../edge/stores/seal/store-keys.ts";
import type { SessionSaves } from "../../engine/session/persistent-session.ts";
import type { SessionHost, SessionOrigin } from "../../engine/session/session-moments.ts";
import type { SessionOptions } from "../../engine/session/session-options.ts";
import type { SessionRegistry } from "../../engine/session/session-registry.ts";
import { claudeCodeFailure, codexFailure } from "./failure-answers.ts";

/** Workspaces that are open at once; the least recently used one is closed first, and opened again when it is needed. */
const OPEN = 8;
/** Sessions that a workspace may open before it is closed to begin afresh. */
const SESSIONS = 500;
/** Faults that wait for the next workspace. */
const FAULTS = 20;
/** Faults that an operator has to repair, whatever session they show in. */
const LOGGED: ReadonlySet<string> = new Set(["governance-damaged", "state-damaged"]);

export type WorkspacesOptions = {
  readonly home: string;
  readonly saves: SessionSaves;
  readonly journal: EventJournal;
  readonly keys: StoreKeys;
  readonly log: (line: string) => void;
};

/** What a request says of its session. `parent` tells the workspace of a new subagent. */
export type SessionPlace = { readonly id: string; readonly cwd: string; readonly parent?: string };

/** One workspace's agents at work: a Conduct of its own, and the adapters that use it. */
export type Workspace = {
  readonly sessions: SessionRegistry;
  readonly host: SessionHost;
  readonly codex: CodexHooks;
  readonly claudeCode: ClaudeCodeHooks;
  report(fault: Fault): void;
  /** No call waits for a person any longer. */
  giveUp(): void;
  close(): Promise<void>;
};

/** A workspace that is used now, or why it cannot be; give it back by disposing of it. */
export type Entered = Disposable & ({ readonly workspace: Workspace } | { readonly broken: string });

/** `gone` resolves when the workspace is closed and all that happened in it is saved. */
type Entry = {
  readonly folder: string;
  readonly opened: Promise<Opened>;
  readonly gone: PromiseWithResolvers<void>;
  busy: number;
  leaving: boolean;
  workspace?: Workspace;
};
type Opened = {
  readonly state: { readonly workspace: Workspace } | { readonly broken: string };
  readonly files: readonly string[];
  readonly stamp: string;
};

/** The open workspaces, opened anew when their configuration changes. Sessions outlive them: they are in the store. */
export class Workspaces {
  readonly #options: WorkspacesOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #faults: Fault[] = [];

  constructor(options: WorkspacesOptions) {
    this.#options = options;
  }

  /** Sessions in memory. */
  get sessions(): number {
    return [...this.#entries.values()].reduce((sum, { workspace }) => sum + (workspace?.sessions.size ?? 0), 0);
  }

  /** The workspace of that session, kept open until it is given back. */
  async enter(session: SessionPlace): Promise<Entered> {
    const entry = await this.#use(await this.#folderOf(session));
    const { state } = await entry.opened;
    return {
      ...state,
      [Symbol.dispose]: () => {
        entry.busy -= 1;
        if (entry.leaving || (entry.workspace?.sessions.opened ?? 0) > SESSIONS) this.#leave(entry);
      },
    };
  }

  /** Reports a fault in every open workspace; when there is none, in the next one. */
  report(fault: Fault): void {
    if (this.#entries.size === 0) {
      this.#faults.push(fault);
      this.#faults.splice(0, this.#faults.length - FAULTS);
    }
    for (const { opened } of this.#entries.values()) {
      void opened.then(({ state }) => "workspace" in state && state.workspace.report(fault));
    }
  }

  /** The session in memory is not the saved one: its workspace is closed, and the session is read again from the store. */
  drop(session: string): void {
    for (const entry of this.#entries.values()) if (entry.workspace?.sessions.has(session)) this.#leave(entry);
  }

  /** No call waits for a person any longer, so that everything under way comes to its end. */
  async giveUp(): Promise<void> {
    for (const { opened } of this.#entries.values()) {
      const { state } = await opened;
      if ("workspace" in state) state.workspace.giveUp();
    }
  }

  async close(): Promise<void> {
    const entries = [...this.#entries.values()];
    for (const entry of entries) this.#leave(entry);
    await Promise.all(entries.map(({ gone }) => gone.promise));
  }

  /** A session stays in its workspace, even when its runtime has moved to another folder. */
  async #folderOf({ id, cwd, parent }: SessionPlace): Promise<string> {
    for (const { folder, workspace } of this.#entries.values()) if (workspace?.sessions.has(id)) return folder;
    const saved = await peekSession(this.#options.saves.store, id);
    if (typeof saved?.beside.workspace === "string") return saved.beside.workspace;
    return parent === undefined ? realFolder(cwd) : this.#folderOf({ id: parent, cwd });
  }

  /** One Conduct for a folder at a time, or a session would be in two of them. Counts the caller as using it. */
  async #use(folder: string): Promise<Entry> {
    for (;;) {
      const entry = this.#entries.get(folder) ?? this.#open(folder);
      if (entry.leaving) {
        await entry.gone.promise;
        continue;
      }
      entry.busy += 1;
      const { files, stamp } = await entry.opened;
      if (!entry.leaving && stampsOf(files) === stamp) {
        // The most recently used one comes last.
        this.#entries.delete(folder);
        this.#entries.set(folder, entry);
        return entry;
      }
      entry.busy -= 1;
      this.#leave(entry);
    }
  }

  #open(folder: string): Entry {
    const opened = this.#load(folder);
    const entry: Entry = { folder, opened, gone: Promise.withResolvers(), busy: 0, leaving: false };
    void opened.then(({ state }) => {
      if ("workspace" in state) entry.workspace = state.workspace;
    });
    this.#entries.set(folder, entry);
    const idle = [...this.#entries.values()].filter(({ busy, leaving }) => busy === 0 && !leaving);
    for (const oldest of idle.slice(0, Math.max(0, this.#entries.size - OPEN)))
      if (oldest !== entry) this.#leave(oldest);
    return entry;
  }

  async #load(folder: string): Promise<Opened> {
    const { home } = this.#options;
    let bound = await bindAgents(home, folder);
    for (;;) {
      const stamp = stampsOf(bound.files);
      // Files that were written while they were read show when they are read again.
      bound = await bindAgents(home, folder);
      const { files } = bound;
      if (stampsOf(files) !== stamp) continue;
      if (bound.kind === "broken") return { state: { broken: bound.message }, files, stamp };
      try {
        const workspace = openWorkspace(folder, bound, this.#options);
        for (const fault of this.#faults.splice(0)) workspace.report(fault);
        return { state: { workspace }, files, stamp };
      } catch (error) {
        return { state: { broken: errorText(error) }, files, stamp };
      }
    }
  }

  /** Closed when nobody uses it any more; until then nobody else enters. */
  #leave(entry: Entry): void {
    entry.leaving = true;
    const { folder, workspace, opened, gone } = entry;
    if (entry.busy > 0) {
      // Those who wait for the next one must not wait for a person.
      workspace?.giveUp();
      return;
    }
    void opened
      .then(({ state }) => ("workspace" in state ? state.workspace.close() : undefined))
      .catch(() => undefined)
      .then(() => {
        if (this.#entries.get(folder) === entry) this.#entries.delete(folder);
        gone.resolve();
      });
  }
}

function openWorkspace(
  folder: string,
  bound: Extract<BoundAgents, { kind: "ready" }>,
  { home, saves, journal, keys, log }: WorkspacesOptions,
): Workspace {
  const { agents, channels, faults } = bound;
  const approver = waitingApprover();
  const conduct = openConduct({
    ...{ agents, workspace: folder, home, channels, journal },
    ports: { results: keptResults(home, keys), paused: () => isPaused(home), approver },
  });
  for (const fault of faults) conduct.report(fault, folder);
  conduct.subscribe((event) => {
    if (event.type === "fault" && LOGGED.has(event.fault.code))
      log(`session ${event.session}: ${event.fault.code}: ${event.fault.message}`);
  });
  /** Decided for each session, so that a runtime whose agent is unknown is refused alone. */
  const sessionOptions = ({ runtime, agent: named, interactive }: SessionOrigin): Partial<SessionOptions> => {
    const settings = settingsFor(runtime, bound, named);
    if ("message" in settings) throw new Error(settings.message);
    const { agent, enforcement, operator } = settings;
    // A person who types is the operator where that was set up; a message that a program sends never is the operator's.
    return { agent, enforcement, sender: { role: operator && interactive === true ? "operator" : "user" } };
  };
  const agent = agents[0]?.name ?? "";
  const host = localHost(conduct, { agent, saves, workspace: folder, sessionOptions });
  return {
    sessions: conduct.sessions,
    host,
    claudeCode: claudeCodeHooks(host, { failure: claudeCodeFailure(home) }),
    codex: codexHooks(conduct, { agent, host, failure: codexFailure(home) }),
    report: (fault) => conduct.report(fault),
    giveUp: () => approver.giveUp(),
    async close() {
      await conduct.sessions.close();
      await conduct.close();
    },
  };
}

/** An approver that asks nobody: a person answers from another process (`conduct approve`), and the session then ends the wait. */
function waitingApprover(): Approver & { giveUp(): void } {
  const over = new AbortController();
  return {
    ask: (_question, signal) =>
      new Promise((resolve) => {
        const ended = AbortSignal.any([signal, over.signal]);
        const end = () => resolve(undefined);
        if (ended.aborted) end();
        else ended.addEventListener("abort", end, { once: true });
      }),
    giveUp: () => over.abort(),
  };
}

/** Changes whenever one of the files does, or appears or disappears. */
function stampsOf(files: readonly string[]): string {
  const stamps = files.map((file) => {
    const found = statSync(file, { throwIfNoEntry: false, bigint: true });
    return found === undefined ? "-" : stampOf(found);
  });
  return stamps.join(" ");
}

function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
