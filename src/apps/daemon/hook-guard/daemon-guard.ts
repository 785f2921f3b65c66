import { asString, isObject } from "../../../base/kernel/json.ts";
import type { Fault } from "../../../base/words/event.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { isPaused } from "../../../edge/host/daemon/paused.ts";
import { journalDraft, openGovernance } from "../../../edge/host/opening/open-governance.ts";
import { storePlace } from "../../../edge/host/workspace/store-place.ts";
import { dropOldest, type GuardReport } from "./guarded-file.ts";
import { openHookGuard } from "./hook-guard.ts";
import { SilentSessions } from "./silent-sessions.ts";

/** Older notices are not shown to sessions that have not seen them. */
const FRESH_MS = 3_600_000;
const MOST = 20;
const MOST_SESSIONS = 500;

type Notice = Pick<GuardReport, "code" | "message" | "runtime"> & { readonly at: number; readonly heard: Set<string> };

/**
 * Notices shown to people, once per session, in the runtime that they are about. Sessions that were open get them; if
 * there was none, the next one does. A pause is only news while it lasts.
 */
class GuardNotices {
  readonly #notices: Notice[] = [];
  readonly #seenAt = new Map<string, number>();

  add({ code, message, runtime }: GuardReport, at: number): void {
    this.#notices.push({ code, message, runtime, at, heard: new Set() });
    this.#notices.splice(0, this.#notices.length - MOST);
  }

  /** Notes when a session was first seen. */
  meet(session: string, now: number): void {
    if (this.#seenAt.has(session)) return;
    this.#seenAt.set(session, now);
    dropOldest(this.#seenAt, MOST_SESSIONS);
  }

  /** Returns `undefined` if there is nothing new for this session. */
  take(session: string, runtime: string, now: number, isPaused: boolean): string | undefined {
    const since = this.#seenAt.get(session) ?? now;
    const news = this.#notices.filter(
      (one) =>
        now - one.at < FRESH_MS &&
        (one.runtime ?? runtime) === runtime &&
        (one.code !== "paused" || isPaused) &&
        (since <= one.at ? !one.heard.has(session) : one.heard.size === 0),
    );
    for (const { heard } of news) heard.add(session);
    return news.length === 0 ? undefined : news.map(({ message }) => `Conduct: ${message}`).join("\n");
  }
}

/** Hooks whose answers can show a message to the person. */
const SHOWING: ReadonlySet<unknown> = new Set(["PreToolUse", "PostToolUse", "PostToolBatch", "Stop"]);

type DaemonGuardOptions = {
  readonly home: string;
  readonly log: (line: string) => void;
  /** Reports to all open sessions, or to the next one. */
  readonly fault: (fault: Fault) => void;
  readonly env?: NodeJS.ProcessEnv;
};

/** Detects that Conduct was switched off, also while the daemon was down: see `HookGuard` and `SilentSessions`. */
export function openDaemonGuard({ home, log, fault, env = process.env }: DaemonGuardOptions) {
  const notices = new GuardNotices();
  let journaling: Promise<unknown> = Promise.resolve();

  function journal({ code, where, outcome, message, runtime }: GuardReport): void {
    const body = { where, outcome, message, runtime };
    const draft = { at: Date.now(), by: "daemon", kind: `guard.${code}`, body };
    const open = (access: "write") => openGovernance(storePlace(env, home), access);
    journaling = journaling.then(async () => {
      const lost = await journalDraft({ open }, draft);
      if (lost !== undefined) log(`not in the journal: ${lost}`);
    });
  }

  function report(found: GuardReport): void {
    const { code, message, runtime } = found;
    log(`${code}: ${message}`);
    // `conduct pause` has already written the journal entry.
    if (code !== "paused") journal(found);
    // The operator's own file changes often: write a journal entry, but raise no alarm.
    if (code === "config-changed") return;
    notices.add(found, Date.now());
    fault({ where: runtime ?? "conduct", code, message });
  }

  const guard = openHookGuard({ home, report });
  const silent = new SilentSessions({ report, look: () => guard.look() });
  return {
    /** Runs before a hook is answered. `event` is the hook's event, if the runtime sends one. */
    async before(runtime?: string, event?: unknown): Promise<void> {
      if (runtime !== undefined && isObject(event)) {
        silent.saw(runtime, event);
        notices.meet(asString(event.session_id), Date.now());
        if (typeof event.cwd === "string") guard.enterProject(runtime, event.cwd);
      }
      await guard.look();
    },
    /** Adds pending notices to the answer; once per session. */
    after<A extends { readonly systemMessage?: string }>(runtime: string, event: unknown, answer: A): A {
      const { hook_event_name: name, session_id: session, agent_id: agent }: JsonObject = isObject(event) ? event : {};
      if (!SHOWING.has(name) || agent !== undefined) return answer;
      const news = notices.take(asString(session), runtime, Date.now(), isPaused(home));
      if (news === undefined) return answer;
      const systemMessage = [answer.systemMessage, news].filter((text) => text !== undefined).join("\n\n");
      return { ...answer, systemMessage };
    },
    /** Resolves when all findings are in the journal. */
    async close(): Promise<void> {
      guard.close();
      silent.close();
      await journaling;
    },
  };
}
