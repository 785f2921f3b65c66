import type { Fault, History, ModelCall, SeenEnd, SentMessage, ToolRun, Violation } from "./records.ts";

/** A dead owner's work is taken over within this time. */
const TAKEOVER_MS = 10_000;
/** A directive is in force everywhere within this time. */
const DIRECTIVE_MS = 1_000;

/** One message with everything that the independent logs say about it. */
type Turn = SentMessage & {
  /** The first end that its person was told. */
  readonly end?: SeenEnd;
  readonly ends: readonly SeenEnd[];
  readonly asked: readonly ModelCall[];
  readonly ran: readonly ToolRun[];
  /** The first and last activity in the logs of the model server and the tool. */
  readonly from?: number;
  readonly to?: number;
};

/** Checks every promise against the logs of people, model server and tool. Returns the broken ones, by time. */
export function checkHistory(history: History): readonly Violation[] {
  const turns = turnsOf(history);
  const conversations = [...Map.groupBy(turns, ({ conversation }) => conversation).values()];
  return [
    ...turns.flatMap((turn) => [...checkOnce(turn), ...checkKept(turn, history), ...checkReported(turn, history)]),
    ...conversations.flatMap((one) => [...checkOrder(one), ...checkPromptStart(one, history)]),
    ...history.model.flatMap((call) => [...checkDirectives(call, history)]),
  ].toSorted((a, b) => a.at - b.at);
}

/** By time of sending, so the turns of a conversation are in the order that its person intended. */
function turnsOf({ sent, seen, model, tools }: History): readonly Turn[] {
  const ends = Map.groupBy(seen, ({ message }) => message);
  const asked = Map.groupBy(model, ({ message }) => message);
  const ran = Map.groupBy(tools, ({ message }) => message);
  const turns = sent.map((one): Turn => {
    const activity = [...(asked.get(one.message) ?? []), ...(ran.get(one.message) ?? [])].map(({ at }) => at);
    const told = (ends.get(one.message) ?? []).toSorted((a, b) => a.at - b.at);
    return {
      ...one,
      end: told[0],
      ends: told,
      asked: asked.get(one.message) ?? [],
      ran: ran.get(one.message) ?? [],
      from: activity.length === 0 ? undefined : Math.min(...activity),
      to: activity.length === 0 ? undefined : Math.max(...activity),
    };
  });
  return turns.toSorted((a, b) => a.sentAt - b.sentAt);
}

function* checkOnce({ message, ran, asked, end, ends }: Turn): Iterable<Violation> {
  const other = ends.find(({ status }) => status !== end?.status);
  if (end !== undefined && other !== undefined) {
    const text = `the person of ${message} was told '${end.status}', then '${other.status}'`;
    yield { promise: "one-end", at: other.at, text };
  }
  const [, second] = ran;
  if (second !== undefined)
    yield { promise: "side-effect-once", at: second.at, text: `the tool ran ${ran.length} times for ${message}` };
  const [first, again] = asked.filter(({ step }) => step === 0);
  if (first !== undefined && again !== undefined) {
    const by = first.replica === again.replica ? `twice by ${first.replica}` : `${first.replica} and ${again.replica}`;
    yield { promise: "turn-once", at: again.at, text: `the turn of ${message} was begun more than once: ${by}` };
  }
  const late = end && ran.find(({ at }) => at > end.at);
  if (end !== undefined && late !== undefined) {
    const text = `the tool ran for ${message} ${seconds(late.at - end.at)} after its person was told '${end.status}'`;
    yield { promise: "no-effect-after-end", at: late.at, text };
  }
}

/** An acknowledged message ends, and is complete only if the model and the tool saw it. Others are accepted in time. */
function* checkKept(turn: Turn, { faults, endedAt }: History): Iterable<Violation> {
  const { message, sentAt, ackedAt, gaveUpAt, refused, end, asked, ran } = turn;
  if (refused !== undefined) yield { promise: "accepted", at: sentAt, text: `${message} was refused: ${refused}` };
  else if (ackedAt === undefined) {
    const due = dueAfter(sentAt, faults);
    const until = gaveUpAt ?? endedAt;
    if (until > due)
      yield { promise: "accepted", at: until, text: `${message} was not accepted in ${seconds(until - sentAt)}` };
  } else if (end === undefined) {
    if (dueAfter(ackedAt, faults) < endedAt)
      yield { promise: "nothing-lost", at: ackedAt, text: `${message} was acknowledged and has no end` };
  } else if (end.status === "complete" && (asked.length === 0 || ran.length === 0)) {
    const missing = asked.length === 0 ? "the model was never asked" : "the tool never ran";
    yield { promise: "nothing-lost", at: end.at, text: `${message} is 'complete', but ${missing}` };
  }
}

/** A turn whose replica was lost is reported in time; a turn that no fault touched does not fail. */
function* checkReported(turn: Turn, { faults, endedAt }: History): Iterable<Violation> {
  const { message, sentAt, ackedAt, end, asked, to } = turn;
  if (ackedAt === undefined) return;
  const owner = asked.at(-1)?.replica;
  const hit = faults.find(
    (fault) =>
      owner !== undefined &&
      fault.replica === owner &&
      STOPS.has(fault.kind) &&
      fault.at >= (to ?? 0) &&
      isOpen(turn, fault),
  );
  if (hit !== undefined) {
    // Another replica that fails meanwhile is no excuse: the remaining one reports.
    const due = dueAfter(
      hit.at,
      faults.filter(({ kind }) => BLOCKS.has(kind)),
    );
    const toldAt = end?.at ?? endedAt;
    if (toldAt > due) {
      const told = end === undefined ? "never" : `${seconds(end.at - hit.at)} later`;
      const text = `${owner} ended by ${hit.kind} in the turn of ${message}; its person was told ${told}`;
      yield { promise: "reported", at: hit.at, text };
    }
  }
  if (end === undefined || GOOD.has(end.status)) return;
  const touched = faults.some(({ at, until }) => at <= end.at && until + TAKEOVER_MS >= sentAt);
  if (!touched)
    yield { promise: "no-fault-no-failure", at: end.at, text: `${message} ended '${end.status}' without any fault` };
}

/** After one of these, the replica can no longer answer its people. */
const STOPS: ReadonlySet<Fault["kind"]> = new Set(["kill", "freeze", "cut"]);
const GOOD: ReadonlySet<string> = new Set(["complete", "answered"]);

/** Was the turn under way when the fault began? */
function isOpen({ from, end }: Turn, { at }: Fault): boolean {
  return from !== undefined && from <= at && (end === undefined || end.at > at);
}

function* checkOrder(turns: readonly Turn[]): Iterable<Violation> {
  const begun = turns.filter(({ from, ackedAt }) => from !== undefined && ackedAt !== undefined);
  for (const [at, later] of begun.entries()) {
    const before = begun.slice(0, at).filter(({ ackedAt }) => (ackedAt ?? 0) <= later.sentAt);
    const overtaken = before.find(({ from }) => (from ?? 0) > (later.from ?? 0));
    const overlapped = before.find(({ to }) => (to ?? 0) > (later.from ?? 0));
    const other = overtaken ?? overlapped;
    if (other !== undefined) {
      const how = overtaken === undefined ? "began before the end of" : "overtook";
      yield { promise: "order", at: later.from ?? 0, text: `${later.message} ${how} ${other.message}` };
    }
    yield* checkTranscript(later, before);
  }
}

/** A turn knows every complete turn before it, once and in order. A lost one was overwritten by a stale owner. */
function* checkTranscript({ message, asked }: Turn, before: readonly Turn[]): Iterable<Violation> {
  const first = asked.find(({ step }) => step === 0);
  if (first === undefined) return;
  const forgotten = before.filter(
    ({ end, message: one }) => end?.status === "complete" && !first.earlier.includes(one),
  );
  const wrong = (text: string): Violation => ({ promise: "transcript", at: first.at, text: `${message} ${text}` });
  if (forgotten.length > 0) yield wrong(`does not know ${forgotten.map((one) => one.message).join(", ")}`);
  const twice = first.earlier.find((one, at) => first.earlier.indexOf(one) !== at);
  if (twice !== undefined) yield wrong(`has ${twice} more than once in its transcript`);
  const known = before.map((one) => one.message).filter((one) => first.earlier.includes(one));
  const order = first.earlier.filter((one) => known.includes(one));
  if (twice === undefined && order.join() !== known.join()) yield wrong("has its transcript in another order");
}

/** The next turn of a conversation begins in time after the one before it has ended. */
function* checkPromptStart(turns: readonly Turn[], { faults, endedAt }: History): Iterable<Violation> {
  let freeAt = 0;
  for (const { message, ackedAt, from, end } of turns) {
    if (ackedAt === undefined) continue;
    const since = Math.max(ackedAt, freeAt);
    const begun = Math.min(from ?? endedAt, end?.at ?? endedAt);
    if (begun > dueAfter(since, faults))
      yield { promise: "prompt-start", at: since, text: `${message} waited ${seconds(begun - since)} for its turn` };
    freeAt = Math.max(freeAt, end?.at ?? endedAt);
  }
}

/** The first request of a turn carries every directive that was acknowledged a second before. */
function* checkDirectives(call: ModelCall, { directives, faults }: History): Iterable<Violation> {
  if (call.step !== 0) return;
  for (const { id, ackedAt, removedAt = Number.POSITIVE_INFINITY } of directives) {
    if (call.at < ackedAt + DIRECTIVE_MS || call.at >= removedAt || call.directives.includes(id)) continue;
    const excused = faults.some((fault) => {
      const mayLag = LAGGING.has(fault.kind) && (fault.replica === undefined || fault.replica === call.replica);
      return (
        mayLag && fault.at <= call.at && fault.until + DIRECTIVE_MS >= ackedAt && fault.until + DIRECTIVE_MS >= call.at
      );
    });
    if (excused) continue;
    const text = `${call.replica} began ${call.message} without ${id}, ${seconds(call.at - ackedAt)} after its acknowledgement`;
    yield { promise: "directive-in-force", at: call.at, text };
  }
}

/** A replica in such a fault cannot know of a change; it must know within the limit after the fault. */
const LAGGING: ReadonlySet<Fault["kind"]> = new Set(["freeze", "cut", "postgres-restart", "stall"]);

/**
 * The latest time for something that was possible from `from` on. A replica that fails or returns before this time moves
 * it, because the takeover then starts anew. While PostgreSQL or the suite itself is away, nothing can happen. Redis is
 * no excuse: everything works without it.
 */
export function dueAfter(from: number, faults: readonly Fault[]): number {
  const points = faults.flatMap(({ kind, at, until }) => {
    if (BLOCKS.has(kind)) return [{ at, until }];
    return kind === "redis-flush" || kind === "redis-kill" ? [] : [at, until].map((one) => ({ at: one, until: one }));
  });
  let due = from + TAKEOVER_MS;
  for (const { at, until } of points.toSorted((a, b) => a.at - b.at)) {
    if (until >= from && at <= due) due = Math.max(due, until + TAKEOVER_MS);
  }
  return due;
}

const BLOCKS: ReadonlySet<Fault["kind"]> = new Set(["postgres-restart", "stall"]);

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
