import { useCallback, useEffect, useRef, useState } from "react";
import { ask, type GatewayError } from "../../data/client.ts";
import type { LiveUpdate } from "../../data/live.ts";
import { useLive } from "../../data/store.tsx";
import type { JournalEvent } from "../../moments/line-of.ts";
import { mergeEvents } from "./timeline-rows.ts";

const PAGE = 500;
/** Number of events loaded automatically; older ones are loaded on request. */
const MOST_AT_ONCE = 10_000;

export type Timeline = {
  readonly state: "loading" | "failed" | "ready";
  readonly events: readonly JournalEvent[];
  readonly error: GatewayError | undefined;
  /** There are older events that are not loaded. */
  readonly hasOlder: boolean;
  readonly isReading: boolean;
};

const NOTHING: Timeline = { state: "loading", events: [], error: undefined, hasOlder: false, isReading: true };

/** Returns all events of a session, oldest first, with live updates. */
export function useTimeline(session: string) {
  const [timeline, setTimeline] = useState<Timeline>(NOTHING);
  const older = useRef<number | undefined>(undefined);
  const known = useRef<ReadonlySet<string>>(new Set());
  const reading = useRef<AbortController | undefined>(undefined);
  known.current = new Set(timeline.events.map(({ id }) => id));

  /** Reads pages before a position, newest first, until `isEnough` or the limit. */
  const read = useCallback(
    async (before: number | undefined, most: number, isEnough: (page: readonly JournalEvent[]) => boolean) => {
      reading.current?.abort();
      const own = new AbortController();
      reading.current = own;
      setTimeline((now) => ({ ...now, isReading: true }));
      const all: JournalEvent[] = [];
      let next = before;
      for (;;) {
        const query = { session, limit: PAGE, before: next };
        const outcome = await ask("GET /api/events", { query }, { signal: own.signal });
        if (own.signal.aborted) return undefined;
        if (!outcome.ok) {
          const { error } = outcome;
          setTimeline((now) => ({
            ...now,
            state: now.events.length === 0 ? "failed" : now.state,
            error,
            isReading: false,
            events: mergeEvents(now.events, all.reverse()),
          }));
          return undefined;
        }
        const page = outcome.value.events;
        all.push(...page);
        next = outcome.value.next;
        if (next === undefined || all.length >= most || isEnough(page)) return { events: all.reverse(), next };
      }
    },
    [session],
  );

  const load = useCallback(async () => {
    const found = await read(undefined, MOST_AT_ONCE, () => false);
    if (found === undefined) return;
    older.current = found.next;
    setTimeline((now) => ({
      state: "ready",
      events: mergeEvents(now.events, found.events),
      error: undefined,
      hasOlder: found.next !== undefined,
      isReading: false,
    }));
  }, [read]);

  const loadOlder = useCallback(async () => {
    if (older.current === undefined) return;
    const found = await read(older.current, MOST_AT_ONCE, () => false);
    if (found === undefined) return;
    older.current = found.next;
    setTimeline((now) => ({
      ...now,
      events: mergeEvents(now.events, found.events),
      hasOlder: found.next !== undefined,
      isReading: false,
    }));
  }, [read]);

  /** Reads new events back to the first one that is already known. */
  const catchUp = useCallback(async () => {
    const found = await read(undefined, MOST_AT_ONCE, (page) => page.some(({ id }) => known.current.has(id)));
    if (found === undefined) return;
    setTimeline((now) => ({
      ...now,
      state: "ready",
      error: undefined,
      events: mergeEvents(now.events, found.events),
      isReading: false,
    }));
  }, [read]);

  useEffect(() => {
    older.current = undefined;
    setTimeline(NOTHING);
    void load();
    return () => reading.current?.abort();
  }, [load]);

  const isReady = useRef(false);
  isReady.current = timeline.state === "ready";
  const hear = useCallback(
    (update: LiveUpdate) => {
      if (update.kind === "resumed") void (isReady.current ? catchUp() : load());
      if (update.kind !== "event" || update.event.session !== session) return;
      const { event } = update;
      setTimeline((now) => ({ ...now, events: mergeEvents(now.events, [event]) }));
    },
    [session, catchUp, load],
  );
  useLive(hear);
  return { timeline, load, loadOlder, catchUp };
}
