import type { EventJournal, KeptEvent } from "../../../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";
import type { SqlStore } from "../../../../edge/stores/sql/sql-store.ts";
import { decisionIds } from "../../../../engine/journal/session-figures.ts";
import { openApprovals } from "../../../shared/open-approvals.ts";
import { oneLine } from "../../../shared/printable.ts";
import { whyFacts } from "../../../shared/why-facts.ts";
import type { WhyArgs } from "../../declared/observe-commands.ts";
import { asTyped } from "../../line/invocation.ts";
import { done, failed, type Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import {
  commandOf,
  findSession,
  type JournalWorld,
  momentIn,
  nearestOf,
  processWorld,
  TRY_INIT,
  withStore,
} from "../../stores/with-store.ts";
import { renderWhy } from "./render-why.ts";

/** An id prefix is searched in this many of the newest events. */
const LOOKED_AT = 2_000;
/** Calls that rules objected to, among which the would-be denials are searched. */
const OBJECTED = 200;
const MOST_EARLIER = 5;
const SHORTEST = 4;
const LAST = "last";

export async function why(args: WhyArgs, terminal: Terminal, world: JournalWorld = processWorld()): Promise<Outcome> {
  const given = args.id.trim();
  return withStore(
    world,
    async (store) => {
      const { events: journal } = store;
      const found = given === LAST ? await findLast(journal) : await findEvent(journal, given);
      if (found === undefined) return nothingDenied(terminal);
      if (found.kind === "none") return notFound(journal, given, found.near);
      return explain(store, found, terminal, world);
    },
    (where) =>
      failed("NOT_FOUND", `${where} has no events yet`, TRY_INIT.command, {
        next: [TRY_INIT],
      }),
  );
}

async function explain(
  store: SqlStore,
  { events: [first, ...rest], earlier = [] }: Extract<Found, { readonly kind: "found" }>,
  { columns, paint, invocation }: Terminal,
  { now, zone }: JournalWorld,
): Promise<Outcome> {
  const { event } = first;
  const { events: journal, governance } = store;
  const facts = await whyFacts(journal, governance, first);
  const asked =
    event.type === "call" && event.decision.kind === "ask" ? await journal.findDecision(event.decision.approval) : rest;
  const answers = asked.map((one) => one.event).filter((one) => one.id !== event.id);
  const approval = event.type === "call" && event.decision.kind === "ask" ? event.decision.approval : undefined;
  const waits = approval === undefined ? [] : await openApprovals(store, now());
  const open = waits.find((one) => one.approval === approval);
  const layout = { columns, paint, invocation, timeOf: momentIn(zone, now()) };
  const text = renderWhy(first, facts, { answers, open, earlier }, layout);
  const next = [
    ...(open?.at === "daemon"
      ? [
          { command: commandOf("approve", open.approval), description: "Approve it" },
          { command: commandOf("deny", open.approval), description: "Deny it" },
        ]
      : []),
    { command: commandOf("watch", "--session", event.session, "--once"), description: "Show the events around it" },
  ];
  return done({ event, ...facts, answers, open: open && { at: open.at } }, text, next);
}

type CallEvent = Extract<ConductEvent, { type: "call" }>;
type Found =
  | {
      readonly kind: "found";
      readonly events: readonly [KeptEvent, ...KeptEvent[]];
      /** Other calls that would have been stopped. */
      readonly earlier?: readonly CallEvent[];
    }
  | { readonly kind: "none"; readonly near: readonly string[] };

/** The newest denial, or a newer call that would have been denied or asked about. */
export async function findLast(journal: EventJournal): Promise<Found | undefined> {
  const [denied] = (await journal.read({ denied: true, limit: 1 })).events;
  const objected = (await journal.read({ objected: true, limit: OBJECTED })).events;
  const wouldBe = objected.filter(({ event }) => isWouldBe(event));
  const [would] = wouldBe;
  if (would === undefined || (denied !== undefined && denied.position > would.position))
    return denied === undefined ? undefined : { kind: "found", events: [denied] };
  const earlier = wouldBe.slice(1, 1 + MOST_EARLIER).flatMap(({ event }) => (event.type === "call" ? [event] : []));
  return { kind: "found", events: [would], earlier };
}

/** In shadow mode or during a pause, a call that a rule objected to was only recorded. */
function isWouldBe(event: ConductEvent): boolean {
  return event.type === "call" && event.observing !== undefined && (event.shadows ?? []).length > 0;
}

function nothingDenied({ invocation }: Terminal): Outcome {
  const look = { command: "conduct watch --once", description: "Show the newest events and their ids" };
  const how = asTyped("find its id with: conduct watch --once", invocation);
  const text = `\n  no call was denied yet. To ask about another event, ${how}\n\n`;
  return done({ event: null }, text, [look]);
}

/** Finds by decision, approval or event id; else by a prefix that is unique among recent ones. */
export async function findEvent(journal: EventJournal, given: string): Promise<Found> {
  const [decided, ...more] = await journal.findDecision(given);
  if (decided !== undefined) return { kind: "found", events: [decided, ...more] };
  const event = await journal.find(given);
  if (event !== undefined) return { kind: "found", events: [event] };
  const recent = await journal.read({ limit: LOOKED_AT });
  const ids = [...new Set(recent.events.flatMap(idsOf))];
  const begun = given.length < SHORTEST ? [] : ids.filter((id) => id.startsWith(given));
  const [only, ...others] = begun;
  if (only !== undefined && others.length === 0) return findEvent(journal, only);
  return { kind: "none", near: begun.length > 0 ? begun.slice(0, 3) : nearestOf(given, ids) };
}

function idsOf({ event }: KeptEvent): readonly string[] {
  const { decision, approval } = decisionIds(event);
  return [decision, approval, event.id].filter((id) => id !== undefined);
}

async function notFound(journal: EventJournal, given: string, near: readonly string[]): Promise<Outcome> {
  const shown = oneLine(given);
  const base = { ok: false, code: "NOT_FOUND", result: { near } } as const;
  const session = await findSession(journal, given);
  if ("session" in session) {
    const command = commandOf("watch", "--session", session.session, "--once");
    const message = `'${shown}' is a session, not a decision`;
    return { ...base, message, fix: command, next: [{ command, description: "Show its events" }] };
  }
  const look = { command: "conduct watch --once", description: "Show the newest events and their ids" };
  const [first] = near;
  if (first === undefined) {
    const message = `no event or decision '${shown}' is stored; events are kept for 30 days by default`;
    return { ...base, message, fix: look.command, next: [look] };
  }
  const asks = near.map((id) => ({ command: commandOf("why", id), description: "Explain this one" }));
  return {
    ...base,
    message: `no event or decision '${shown}' is stored; did you mean ${near.join(", ")}?`,
    fix: asks[0]?.command ?? look.command,
    next: [...asks, look],
  };
}
