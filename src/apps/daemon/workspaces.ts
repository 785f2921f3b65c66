import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { errorText } from "../../base/kernel/error-text.ts";
import type { Approver } from "../../base/ports/approver.ts";
import type { EventJournal } from "../../base/ports/stores/event-journal.ts";
import type { Fault } from "../../base/words/event.ts";
import type { JsonObject } from "../../base/words/json.ts";
import { type ClaudeCodeHooks, claudeCodeHooks } from "../../edge/adapters/claude-code/adapter.ts";
import { answerFailure as blockClaudeCode } from "../../edge/adapters/claude-code/translate.ts";
import { type CodexHooks, codexHooks } from "../../edge/adapters/codex/adapter.ts";
import { answerFailure as blockCodex } from "../../edge/adapters/codex/translate.ts";
import { copilotDialect } from "../../edge/adapters/copilot/dialect.ts";
import { cursorDialect } from "../../edge/adapters/cursor/dialect.ts";
import { geminiDialect } from "../../edge/adapters/gemini/dialect.ts";
import { type CommandHooks, commandHooks } from "../../edge/adapters/shared/hooks/command-hooks.ts";
import type { HookDialect } from "../../edge/adapters/shared/hooks/hook-event.ts";
import { type BoundAgents, bindAgents, settingsFor } from "../../edge/host/daemon/daemon-agents.ts";
import { isPaused } from "../../edge/host/daemon/paused.ts";
import { accountName, machineZone } from "../../edge/host/node/account.ts";
import { modelOverrides } from "../../edge/host/node/pi-models.ts";
import { type LoadedPlugins, loadPlugins } from "../../edge/host/opening/load-plugins.ts";
import { localHost, peekSession } from "../../edge/host/opening/local-host.ts";
import { openConductFromEnv } from "../../edge/host/opening/open-conduct.ts";
import { failureRule, isWatched, warnOnce } from "../../edge/host/watched/failure-rule.ts";
import { stampOf } from "../../edge/host/workspace/file-stamp.ts";
import { keptResults } from "../../edge/stores/files/folder-results.ts";
import type { StoreKeys } from "../../edge/stores/seal/store-keys.ts";
import type { SessionSaves } from "../../engine/session/persistent-session.ts";
import type { Session } from "../../engine/session/session.ts";
import type { SessionHost, SessionOrigin } from "../../engine/session/session-moments.ts";
import type { SessionOptions } from "../../engine/session/session-options.ts";
import type { SessionRegistry } from "../../engine/session/session-registry.ts";

/** Maximum of open workspaces; the least recently used one is closed first and reopened when needed. */
const OPEN = 8;
/** Sessions a workspace may open before it is closed and reopened. */
const SESSIONS = 500;
const FAULTS = 20;
const NO_PLUGINS: LoadedPlugins = { plugins: [], faults: [] };
/** Faults that an operator must repair, whichever session reports them. */
const LOGGED: ReadonlySet<string> = new Set(["governance-damaged", "state-damaged"]);

type WorkspacesOptions = {
  readonly home: string;
  readonly saves: SessionSaves;
  readonly journal: EventJournal;
  readonly keys: StoreKeys;
  readonly log: (line: string) => void;
};

/** What a request says about its session. `parent` determines the workspace of a new subagent; it may be the session itself. */
type SessionPlace = { readonly id: string; readonly cwd: string; readonly parent?: string };

export const DIALECTS = { copilot: copilotDialect, cursor: cursorDialect, gemini: geminiDialect } satisfies {
  readonly [name: string]: HookDialect;
};
export type DialectName = keyof typeof DIALECTS;

/** One workspace: its own Conduct and the adapters that use it. */
type Workspace = {
  readonly sessions: SessionRegistry;
  readonly host: SessionHost;
  readonly codex: CodexHooks;
  readonly claudeCode: ClaudeCodeHooks;
  /** The runtimes whose hooks run a command, by name. */
  readonly hooks: { readonly [D in DialectName]: CommandHooks };
  report(fault: Fault): void;
  /** Ends every wait for a person. */
  giveUp(): void;
  close(): Promise<void>;
};

/** A workspace in use, or why it cannot be used; dispose it to give it back. */
type Entered = Disposable & { readonly folder: string } & (
    | { readonly workspace: Workspace }
    | { readonly broken: string }
  );

/** `gone` resolves when the workspace is closed and everything in it is saved. */
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

/** The open workspaces, reopened when their configuration changes. Sessions outlive them in the store. */
export class Workspaces {
  readonly #options: WorkspacesOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #faults: Fault[] = [];

  constructor(options: WorkspacesOptions) {
    this.#options = options;
  }

  get sessions(): number {
    return [...this.#entries.values()].reduce((sum, { workspace }) => sum + (workspace?.sessions.size ?? 0), 0);
  }

  /** Returns the session's workspace, which stays open until it is disposed. */
  async enter(session: SessionPlace): Promise<Entered> {
    const entry = await this.#use(await this.#folderOf(session));
    const { state } = await entry.opened;
    return {
      ...state,
      folder: entry.folder,
      [Symbol.dispose]: () => {
        entry.busy -= 1;
        if (entry.leaving || (entry.workspace?.sessions.opened ?? 0) > SESSIONS) this.#leave(entry);
      },
    };
  }

  /** The sessions in memory that work in folders for which `isHere` holds. */
  inFolders(isHere: (folder: string) => boolean): readonly Session[] {
    return [...this.#entries.values()].flatMap(({ folder, workspace }) =>
      workspace !== undefined && isHere(folder) ? workspace.sessions.all() : [],
    );
  }

  /** The sessions of a runtime that have this call of a Conduct tool open. */
  async waiting(runtime: DialectName, tool: string, args: JsonObject): Promise<readonly string[]> {
    const open = [...this.#entries.values()].flatMap(({ workspace }) => workspace ?? []);
    return (await Promise.all(open.map(({ hooks }) => hooks[runtime].waiting(tool, args)))).flat();
  }

  /** Reports a fault in every open workspace; without one, in the next one. */
  report(fault: Fault): void {
    if (this.#entries.size === 0) {
      this.#faults.push(fault);
      this.#faults.splice(0, this.#faults.length - FAULTS);
    }
    for (const { opened } of this.#entries.values()) {
      void opened.then(({ state }) => "workspace" in state && state.workspace.report(fault));
    }
  }

  /** Closes the workspace of a session whose memory differs from its saved state; the session is then read again. */
  drop(session: string): void {
    for (const entry of this.#entries.values()) if (entry.workspace?.sessions.has(session)) this.#leave(entry);
  }

  /** Ends every wait for a person, so that all running work finishes. */
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

  /** A session stays in its workspace even if its runtime has moved to another folder. */
  async #folderOf({ id, cwd, parent }: SessionPlace): Promise<string> {
    for (const { folder, workspace } of this.#entries.values()) if (workspace?.sessions.has(id)) return folder;
    const saved = await peekSession(this.#options.saves.store, id);
    if (typeof saved?.beside.workspace === "string") return saved.beside.workspace;
    return parent === undefined ? realFolder(cwd) : this.#folderOf({ id: parent, cwd });
  }

  /** One Conduct per folder at a time, or a session could be in two. Counts the caller as a user. */
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
        // Move to the end: the most recently used entry comes last.
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
      // Read again until the stamps match: a file may be written during the read.
      bound = await bindAgents(home, folder);
      const { files } = bound;
      if (stampsOf(files) !== stamp) continue;
      if (bound.kind === "broken") return { state: { broken: bound.message }, files, stamp };
      const plugins = bound.loaded === undefined ? NO_PLUGINS : await loadPlugins(bound.loaded, home);
      const [fault] = plugins.faults;
      if (fault !== undefined)
        return { state: { broken: `${fault.file}:${fault.line} ${fault.message}` }, files, stamp };
      try {
        const workspace = openWorkspace(folder, { ...bound, ...plugins }, this.#options);
        for (const fault of this.#faults.splice(0)) workspace.report(fault);
        return { state: { workspace }, files, stamp };
      } catch (error) {
        return { state: { broken: errorText(error) }, files, stamp };
      }
    }
  }

  /** Closes the workspace when its last user leaves; until then nobody else enters. */
  #leave(entry: Entry): void {
    entry.leaving = true;
    const { folder, workspace, opened, gone } = entry;
    if (entry.busy > 0) {
      // Callers waiting for the next workspace must not wait for a person.
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
  bound: Extract<BoundAgents, { kind: "ready" }> & LoadedPlugins,
  { home, saves, journal, keys, log }: WorkspacesOptions,
): Workspace {
  const { agents, channels } = bound;
  const approver = waitingApprover();
  const conduct = openConductFromEnv({
    ...{ agents, workspace: folder, home, channels, journal },
    plugins: bound.plugins.map(({ plugin }) => plugin),
    models: modelOverrides(bound.loaded?.parsed.models ?? {}, process.env),
    ports: { results: keptResults(home, keys), paused: () => isPaused(home), approver },
  });
  for (const fault of bound.config.faults) conduct.report(fault, folder);
  conduct.subscribe((event) => {
    if (event.type === "requirement" && event.escalateToOwner)
      log(`session ${event.session}: ${event.tool} asks the operator for a review`);
    if (event.type === "fault" && LOGGED.has(event.fault.code))
      log(`session ${event.session}: ${event.fault.code}: ${event.fault.message}`);
  });
  /** Decided per session, so that only a runtime with an unknown agent is rejected. */
  const sessionOptions = ({ runtime, agent: named, interactive }: SessionOrigin): Partial<SessionOptions> => {
    const settings = settingsFor(runtime, bound, named);
    if ("message" in settings) throw new Error(settings.message);
    const { agent, enforcement, operator, user = accountName() } = settings;
    // A typing person is the operator if configured so; a message sent by a program never is.
    const role = operator && interactive === true ? "operator" : "user";
    // The machine's zone applies until the user sets one.
    return { agent, enforcement, user, zone: machineZone(), sender: { role } };
  };
  const agent = agents[0]?.name ?? "";
  const flushEvents = () => conduct.flush();
  const host = localHost(conduct, { agent, saves: { ...saves, flushEvents }, workspace: folder, sessionOptions });
  return {
    sessions: conduct.sessions,
    host,
    claudeCode: claudeCodeHooks(host, { failure: claudeCodeFailure(home) }),
    codex: codexHooks(conduct, { agent, host, failure: codexFailure(home) }),
    hooks: {
      copilot: commandHooks(host, DIALECTS.copilot, dialectFailure(home, "copilot")),
      cursor: commandHooks(host, DIALECTS.cursor, dialectFailure(home, "cursor")),
      gemini: commandHooks(host, DIALECTS.gemini, dialectFailure(home, "gemini")),
    },
    report: (fault) => conduct.report(fault),
    giveUp: () => approver.giveUp(),
    async close() {
      await conduct.sessions.close();
      await conduct.close();
    },
  };
}

/** An approver that asks nobody: a person answers from another process (`conduct approve`), which ends the wait. */
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

/** Changes whenever one of the files changes, appears or disappears. */
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

type AnswerFailure<A> = (event: string, cause: string) => A;

/** Blocks if Claude Code is enforced; passes with one warning if it is only observed. */
export function claudeCodeFailure(home: string): AnswerFailure<ReturnType<typeof blockClaudeCode>> {
  return (event, cause) => passing(home, "claude-code", cause) ?? blockClaudeCode(event, cause);
}

export function codexFailure(home: string): AnswerFailure<ReturnType<typeof blockCodex>> {
  return (event, cause) => passing(home, "codex", cause) ?? blockCodex(event, cause);
}

export function dialectFailure(home: string, runtime: DialectName): HookDialect["failure"] {
  return (given, cause) => passing(home, runtime, cause) ?? DIALECTS[runtime].failure(given, cause);
}

/** The answer that allows everything; `undefined` if the failure must block. */
function passing(home: string, runtime: string, cause: string): { readonly systemMessage?: string } | undefined {
  if (failureRule(home, runtime) === "block") return undefined;
  const systemMessage = isWatched(home, runtime) ? warnOnce(home, runtime, cause) : undefined;
  return systemMessage === undefined ? {} : { systemMessage };
}
