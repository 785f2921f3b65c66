import { memo, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { useHotkeys } from "../../app/hotkeys.tsx";
import { useQuery } from "../../data/use-query.ts";
import { isChatter, type JournalEvent } from "../../moments/line-of.ts";
import { MomentRow } from "../../moments/moment-row.tsx";
import { type Step, stepsIn } from "../../moments/story/story-of.ts";
import { TurnStory } from "../../moments/story/turn-story.tsx";
import { Button, Chip } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { figure } from "../../ui/data/token-bar.tsx";
import { type ListControl, VirtualList } from "../../ui/data/virtual-list.tsx";
import { SearchField } from "../../ui/field.tsx";
import { Text } from "../../ui/text.tsx";
import { useAddress } from "../../ui/use-address.ts";
import { EvidenceOf } from "../why/evidence.tsx";
import style from "./session-view.module.css";
import { rowsOf, storyRowsOf, type TimelineRow, turnsOf } from "./timeline-rows.ts";
import { TurnHead } from "./turn-head.tsx";
import type { Timeline } from "./use-timeline.ts";

/** Up to this number of events, all turns are open at first. */
const SHORT = 300;
const NO_STEPS: readonly Step[] = [];
/** A session active within this time opens at its end. */
const GOES_ON_MS = 10 * 60_000;

/** Shows the events by turn. The expanded event is stored in the address. */
export function TimelineView({ timeline, loadOlder }: { readonly timeline: Timeline; readonly loadOlder: () => void }) {
  const [address, set] = useAddress();
  const picked = address.get("event") ?? undefined;
  const { events } = timeline;
  const turns = useMemo(() => turnsOf(events), [events]);
  const [first] = useState(() => ({
    keys: new Set(turns.map(({ key }) => key)),
    last: turns.at(-1)?.key,
    isShort: events.length <= SHORT,
  }));
  const [all, setAll] = useState<boolean | undefined>(undefined);
  const [own, setOwn] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [search, setSearch] = useState("");
  const words = useDeferredValue(search.trim());
  const [denied, setDenied] = useState(false);
  const [chatter, setChatter] = useState(false);
  const isOpen = useCallback(
    // Turns that arrive while the page is open are expanded.
    (key: string) => own.get(key) ?? all ?? (first.isShort || key === first.last || !first.keys.has(key)),
    [own, all, first],
  );
  const isStory = address.get("view") === "story";
  const rows = useMemo(
    () => (isStory ? storyRowsOf(turns, isOpen) : rowsOf(turns, isOpen, { words, denied, chatter })),
    [turns, isOpen, words, denied, chatter, isStory],
  );
  const session = events[0]?.session ?? "";
  const found = useQuery(
    "GET /api/sessions/{id}/steps",
    { params: { id: session }, query: { since: events[0]?.at ?? 0 } },
    { when: isStory && session !== "", keep: true },
  );
  const steps = found.state === "ready" ? found.data.steps : NO_STEPS;

  const control = useRef<ListControl>(null);
  /** Scroll target, used once its row exists: an event, or "" for the end. */
  const target = useRef<string | undefined>(picked ?? (isGoingOn(events) ? "" : undefined));
  const toggleTurn = useCallback((key: string, open: boolean) => setOwn((now) => new Map(now).set(key, open)), []);
  const show = useCallback(
    (id: string) => {
      const turn = turns.find((one) => one.events.some((event) => event.id === id));
      if (turn === undefined) return;
      target.current = id;
      setOwn((now) => new Map(now).set(turn.key, true));
    },
    [turns],
  );
  const seen = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (picked === undefined || picked === seen.current) return;
    const found = events.find(({ id }) => id === picked);
    if (found === undefined) return;
    seen.current = picked;
    if (isChatter(found)) setChatter(true);
    show(picked);
  }, [picked, events, show]);
  useEffect(() => {
    if (target.current === undefined) return;
    if (target.current === "") {
      target.current = undefined;
      control.current?.goToEnd();
      return;
    }
    const at = rows.findIndex(({ key }) => key === target.current);
    if (at === -1) return;
    target.current = undefined;
    // Scroll to the row before, because an expanded row may be taller than the screen.
    control.current?.goTo(Math.max(0, at - 1), "start");
  }, [rows]);

  const onPick = useCallback(
    (event: JournalEvent) => {
      seen.current = event.id;
      set({ event: event.id });
      show(event.id);
    },
    [set, show],
  );
  const onToggle = useCallback(
    (event: JournalEvent) => {
      // The event is already visible, so do not scroll to it.
      seen.current = event.id;
      set({ event: event.id === picked ? "" : event.id });
    },
    [set, picked],
  );
  const goDenial = (step: 1 | -1) => {
    const denials = events.filter((event) => event.type === "call" && event.decision.kind === "deny");
    const at = events.findIndex(({ id }) => id === picked);
    const next =
      step === 1
        ? (denials.find((event) => events.indexOf(event) > at) ?? denials[0])
        : (denials.findLast((event) => at === -1 || events.indexOf(event) < at) ?? denials.at(-1));
    if (next !== undefined) onPick(next);
  };
  const allOpen = rows.every((row) => row.kind !== "turn" || row.open);
  const openAll = () => {
    setOwn(new Map());
    setAll(!allOpen);
  };
  useHotkeys([
    { keys: "End", does: "Newest moment", run: () => control.current?.goToEnd() },
    { keys: "Home", does: "First moment", run: () => control.current?.goTo(0, "start") },
    { keys: "n", does: "Next denial", run: () => goDenial(1) },
    { keys: "p", does: "Previous denial", run: () => goDenial(-1) },
    { keys: "e", does: "Open or close all turns", run: openAll },
    { keys: "a", does: "Show everything, including usage, steps and modes", run: () => setChatter((now) => !now) },
  ]);

  const isMissing = picked !== undefined && !events.some(({ id }) => id === picked);
  return (
    <>
      <div className={style.tools}>
        {!isStory && (
          <div className={style.search}>
            <SearchField
              label="Search this timeline"
              hideLabel
              placeholder="Search this timeline"
              value={search}
              onChange={(event) => setSearch(event.target.value)}
            />
          </div>
        )}
        <Chip
          on={isStory}
          title="Show each turn as a story: texts, calls with output, cost and tokens"
          onClick={() => set({ view: isStory ? "" : "story" })}
        >
          Story
        </Chip>
        {!isStory && (
          <>
            <Chip on={denied} onClick={() => setDenied((now) => !now)}>
              Denied
            </Chip>
            <Chip on={chatter} onClick={() => setChatter((now) => !now)}>
              Everything
            </Chip>
          </>
        )}
        <Button look="link" onClick={openAll}>
          {allOpen ? "Close all" : "Open all"}
        </Button>
        <span className="grow" />
        <span className={classes(style.count, "quiet small")} role="status">
          {figure(events.length)} {events.length === 1 ? "event" : "events"}
          {timeline.hasOlder && " loaded"}
        </span>
        {timeline.hasOlder && (
          <Button look="link" busy={timeline.isReading} onClick={loadOlder}>
            Load older
          </Button>
        )}
        <Button look="link" onClick={() => control.current?.goTo(0, "start")}>
          First
        </Button>
        <Button look="link" onClick={() => control.current?.goToEnd()}>
          Newest
        </Button>
      </div>
      {isMissing && (
        <p className={style.pad} role="status">
          The moment <Text className="mono">{picked}</Text> is not loaded
          {timeline.hasOlder ? ": it may be older." : ": it has expired, or belongs to another session."}
        </p>
      )}
      {rows.length === 0 ? (
        <p className={style.pad} role="status">
          Nothing in this session matches.
        </p>
      ) : (
        <VirtualList<TimelineRow>
          items={rows}
          keyOf={({ key }) => key}
          rowHeight={34}
          label="Timeline"
          control={control}
          follow
        >
          {(row) =>
            row.kind === "story" ? (
              <div className={style.story}>
                <TurnStory events={row.turn.events} steps={stepsIn(steps, row.turn.at, row.until)} picked={picked} />
              </div>
            ) : row.kind === "turn" ? (
              <TurnHead turn={row.turn} open={row.open} picked={picked} onToggle={toggleTurn} onPick={onPick} />
            ) : (
              <EventRow event={row.event} open={row.event.id === picked} onToggle={onToggle} />
            )
          }
        </VirtualList>
      )}
    </>
  );
}

/** Memoised, so that scrolling renders only rows that come into view. */
const EventRow = memo(function EventRow({
  event,
  open,
  onToggle,
}: {
  readonly event: JournalEvent;
  readonly open: boolean;
  readonly onToggle: (event: JournalEvent) => void;
}) {
  return (
    <div className={style.event} data-event={event.id} data-picked={open || undefined}>
      <MomentRow
        event={event}
        open={open}
        onToggle={onToggle}
        more={
          event.type === "call" ? (
            <div className={style.evidence}>
              <EvidenceOf id={event.decision.id} />
            </div>
          ) : undefined
        }
      />
    </div>
  );
});

function isGoingOn(events: readonly JournalEvent[]): boolean {
  const last = events.at(-1);
  if (last === undefined || (last.type === "notice" && last.notice.kind === "ended")) return false;
  return Date.now() - last.at < GOES_ON_MS;
}
