import type { ToolCall } from "../../base/words/call.ts";
import type { ConductEvent, SessionPoint } from "../../base/words/event.ts";
import { Slices } from "../../behavior/session/snapshot/slices.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";
import { causesOf, changeKind, sameSaid } from "./compare-decisions.ts";
import { type Course, outcomesOf, sameCourse } from "./courses.ts";
import { beforehand, disagreementOf, doubtOf, factsLeftOpen, ofHistory, type Unknown } from "./doubts.ts";
import { type Flip, flipBehind } from "./flips.ts";
import { type CoursesAt, goBack, NONE, type Taken } from "./go-back.ts";
import { isWithoutPoint, lookAhead, pointKey, ranIn } from "./look-ahead.ts";
import { type CourseMerger, mergerFor, type Ways } from "./merge-courses.ts";
import type { CallFacts, CallReader, ReadCall } from "./read-call.ts";
import type { ReplayAgents } from "./replay-agents.ts";
import { placeOf, type ReplayChange, type ReplayWindow, type SessionReplay, type Verdict } from "./replay-change.ts";
import { type EventOf, ReplaySession, type Said } from "./replay-session.ts";
import type { AgentCare } from "./unsure-calls.ts";

/** How courses are followed; `most` at once. */
export type Following = { readonly ways: Ways; readonly most: number };

const LOST: Unknown = { code: "outcome", why: "there are more ways that it may have gone than are followed" };

/** One session, played again from its events. */
export class OneReplay {
  readonly #agents: ReplayAgents;
  readonly #reader: CallReader;
  readonly #careOf: (agent: CompiledAgent) => AgentCare;
  readonly #window: ReplayWindow;
  readonly #following: Following;
  /** Made when there is first more than one course. */
  #merger: CourseMerger | undefined;
  /** The courses that things may have taken; one until something is decided otherwise. */
  #worlds: Slices[] = [Slices.empty];
  /** How each of them came about; only where the session goes back to an earlier state. */
  #taken: Taken[] = [NONE];
  #forks = 0;
  #goesBack = false;
  /** What really happened, under the rules of today; once it is another course than the first. */
  #asRecorded: Slices | undefined;
  readonly #flips: Flip[] = [];
  /** Rules that stood in a file and have asked. */
  readonly #written = new Set<string>();
  /** Paths that would not be as they were found. */
  readonly #unsettled = new Set<string>();
  /** Why the state may be wrong from here on. */
  #uncertain: Unknown | undefined;
  #calls = 0;
  /** Worked out when something first goes otherwise. */
  #ran: ReadonlySet<string> | undefined;
  readonly #changes: ReplayChange[] = [];
  readonly #points = new Map<string, CoursesAt & { readonly flips: number }>();
  #session: ReplaySession | undefined;

  constructor(
    agents: ReplayAgents,
    reader: CallReader,
    careOf: (agent: CompiledAgent) => AgentCare,
    window: ReplayWindow,
    following: Following,
  ) {
    this.#agents = agents;
    this.#reader = reader;
    this.#careOf = careOf;
    this.#window = window;
    this.#following = following;
  }

  run(events: readonly ConductEvent[]): SessionReplay {
    const [first] = events;
    if (first === undefined) return { session: "", agent: "", startedAt: 0, calls: 0, changes: [] };
    const { closings, wanted, marked, goesBack } = lookAhead(events);
    this.#goesBack = goesBack;
    const session = new ReplaySession(first.session, first.agent, this.#agents);
    this.#session = session;
    let [run, seq] = ["", 0];
    for (const [at, event] of events.entries()) {
      if (event.run !== run ? event.seq !== 1 : event.seq !== seq + 1) {
        this.#uncertain ??= ofHistory("events of this session are no longer kept");
      }
      [run, seq] = [event.run, event.seq];
      if (event.type === "call") {
        this.#merge(events, at);
        this.#playCall(session, event, events);
      } else if (event.type === "result") this.#playResult(session, event, events[at + 1]);
      else if (event.type === "session" && event.from !== undefined) this.#goBack(session, event, event.from);
      else {
        if (event.type === "fault" && event.fault.code.startsWith("event-")) {
          this.#uncertain ??= ofHistory("an event of this session could not be kept or read");
        }
        if (isWithoutPoint(event))
          this.#uncertain ??= ofHistory("it was not recorded which point the session went back to");
        this.#each(session, event, () => session.play(event));
      }
      if (!marked.has(event.seq)) continue;
      const key = pointKey(event);
      const closed = closings.get(key);
      if (closed !== undefined) this.#each(session, event, () => session.closeStepAt(closed));
      if (!wanted.has(key)) continue;
      const courses = { worlds: [...this.#worlds], taken: this.#taken, asRecorded: this.#asRecorded };
      this.#points.set(key, { ...courses, flips: this.#flips.length });
    }
    return {
      session: first.session,
      agent: session.agent,
      ...(first.type === "session" && first.channel !== undefined ? { channel: first.channel } : {}),
      startedAt: first.at,
      calls: this.#calls,
      changes: this.#changes,
    };
  }

  #merge(events: readonly ConductEvent[], at: number): void {
    const [only] = this.#worlds;
    const one = this.#worlds.length === 1 && (this.#asRecorded === undefined || this.#asRecorded === only);
    if (one || this.#following.ways === "apart") return;
    this.#merger ??= mergerFor(events, this.#agents, this.#reader, this.#careOf);
    const { worlds, asRecorded } = this.#merger.merge({ worlds: this.#worlds, asRecorded: this.#asRecorded }, at);
    this.#worlds = worlds;
    this.#asRecorded = asRecorded;
  }

  /** Plays something in every course that things may have taken. */
  #each(session: ReplaySession, event: ConductEvent, play: () => void): void {
    session.begin(event);
    const among = this.#asRecorded === undefined ? -1 : this.#worlds.indexOf(this.#asRecorded);
    for (const [at, world] of this.#worlds.entries()) {
      session.state = world;
      play();
      this.#worlds[at] = session.state;
    }
    if (this.#asRecorded === undefined) return;
    session.state = this.#worlds[among] ?? this.#asRecorded;
    if (among < 0) play();
    this.#asRecorded = session.state;
  }

  /** STATE as it was then; or, where a session was opened again, everything. */
  #goBack(session: ReplaySession, event: EventOf<"session">, from: SessionPoint): void {
    const known = this.#points.get(pointKey(from));
    if (known === undefined) this.#uncertain ??= ofHistory("the point that the session went back to is not kept");
    else if (event.change === "resumed") {
      this.#worlds = [...known.worlds];
      this.#taken = [...known.taken];
      this.#asRecorded = known.asRecorded;
      this.#flips.length = known.flips;
    } else {
      const now = { worlds: this.#worlds, taken: this.#taken, asRecorded: this.#asRecorded };
      const { worlds, taken, asRecorded, lost } = goBack(now, known, this.#following.most);
      if (lost) this.#uncertain ??= LOST;
      [this.#worlds, this.#taken, this.#asRecorded] = [worlds, taken, asRecorded];
    }
    this.#each(session, event, () => session.play(event));
  }

  #playResult(session: ReplaySession, event: EventOf<"result">, next: ConductEvent | undefined): void {
    const demands = next?.type === "requirement" && next.call === event.call ? next : undefined;
    const requirement =
      demands === undefined
        ? undefined
        : { requireBeforeNext: demands.requireBeforeNext, escalateToOwner: demands.escalateToOwner };
    this.#each(session, event, () => {
      const entry = session.underWay(event.call);
      if (entry !== undefined) session.settleRecorded(entry, event, requirement);
    });
  }

  #playCall(session: ReplaySession, event: EventOf<"call">, events: readonly ConductEvent[]): void {
    const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = this.#window;
    const told = event.at >= since && event.at <= until;
    if (told) this.#calls += 1;
    session.begin(event);
    const was: Said = { decision: event.decision, shadows: event.shadows ?? [] };
    // A person's no tells of no place; the question before it did.
    if (was.decision.kind === "ask" && was.decision.place !== undefined) this.#written.add(was.decision.rule);
    const read = this.#reader.read(event, session.definition);
    const keep = (change: Verdict): void => {
      if (told) this.#changes.push({ ...placeOf(event), was, ...change });
    };
    if (read === undefined) {
      keep({ kind: "cannot-tell", code: "unreadable", why: "the recorded call cannot be read" });
      this.#uncertain ??= ofHistory("a call of this session could not be read");
      return;
    }
    const care = this.#careOf(session.definition);
    if (care.blindEvidence(read)) this.#uncertain ??= ofHistory("what a redacted call counts as cannot be told");
    const facts = factsLeftOpen(care.factsFor(read, event.call), this.#unsettled);
    const among = this.#asRecorded === undefined ? -1 : this.#worlds.indexOf(this.#asRecorded);
    const courses = this.#worlds.map((world) => this.#decideIn(session, world, read, facts));
    this.#worlds = courses.map(({ after }) => after);
    const recorded =
      this.#asRecorded === undefined
        ? undefined
        : (courses[among] ?? this.#decideIn(session, this.#asRecorded, read, facts));
    const now = courses[0]?.said ?? was;
    const agreed = courses.every(({ all }) => all.every((said) => sameSaid(said, now)));
    const same = agreed && sameSaid(was, now);
    const unknown =
      beforehand(event, read, care, { final: courses[0]?.call, flipped: this.#flips.length > 0 }) ??
      (agreed
        ? same
          ? undefined
          : doubtOf(was, now, care, { uncertain: this.#uncertain, written: this.#written })
        : disagreementOf(read, courses, this.#unsettled.size > 0));
    const follows = flipBehind(this.#flips, now, recorded?.said, agreed);
    const after = follows === undefined ? {} : { follows };
    if (unknown !== undefined) keep({ kind: "cannot-tell", ...unknown, ...after });
    else if (!same) {
      const kind = changeKind(was.decision, now.decision);
      keep({
        kind,
        now: { decision: now.decision, shadows: now.shadows },
        causes: causesOf(was, now, care.places),
        ...after,
      });
    }
    if (unknown !== undefined && unknown.code !== "outcome" && unknown.code !== "fact") {
      // What was decided then is all that is known: the session goes on from there.
      if (!sameCourse(was.decision, now.decision)) this.#uncertain ??= ofHistory(unknown.why);
      this.#worlds = courses.map((course) => this.#follow(session, read, was, course));
      if (recorded !== undefined) this.#asRecorded = this.#follow(session, read, was, recorded);
      return;
    }
    const moved = courses.find(({ said }) => !sameCourse(was.decision, said.decision));
    const ours = recorded ?? moved;
    if (ours !== undefined) this.#asRecorded = this.#follow(session, read, was, ours);
    if (moved !== undefined) {
      this.#ran ??= ranIn(events);
      this.#fork(session, event, read, was, courses, this.#ran);
    }
  }

  /** Under the first facts the session goes on; under the others it is only seen what they would change. */
  #decideIn(session: ReplaySession, world: Slices, read: ReadCall, facts: readonly CallFacts[]): Course {
    const all: (Said & { readonly call: ToolCall })[] = [];
    let after: Slices | undefined;
    for (const variant of facts) {
      session.state = world;
      all.push(session.decideRecorded(read, variant));
      after ??= session.state;
    }
    const [said] = all;
    if (said === undefined) throw new Error("there are always facts");
    return { from: world, after: after ?? world, said, all, call: said.call };
  }

  /** The state after what was really decided, under the rules of today. */
  #follow(session: ReplaySession, read: ReadCall, { decision }: Said, { from, after, said }: Course): Slices {
    if (sameCourse(said.decision, decision)) return after;
    session.state = from;
    if (decision.kind === "deny") session.forceDenied(read);
    else session.forceThrough(read, read.facts.final, decision);
    return session.state;
  }

  /** Where it went otherwise, every way it may have gone on. */
  #fork(
    session: ReplaySession,
    event: EventOf<"call">,
    read: ReadCall,
    { decision: was }: Said,
    courses: readonly Course[],
    ran: ReadonlySet<string>,
  ): void {
    const { id } = read.call;
    const happened = ran.has(event.decision.id);
    const next: Slices[] = [];
    const taken: Taken[] = [];
    this.#forks += 1;
    for (const [at, { after, said }] of courses.entries()) {
      const outcomes = outcomesOf(was, said.decision, happened);
      const before = this.#taken[at] ?? NONE;
      if (outcomes === undefined) {
        next.push(after);
        taken.push(before);
        continue;
      }
      // With too many courses each takes one of the ways by turns.
      const room = next.length + (courses.length - at - 1) + outcomes.length <= this.#following.most;
      if (!room) this.#uncertain ??= LOST;
      for (const [way, outcome] of outcomes.entries()) {
        if (!room && way !== at % outcomes.length) continue;
        session.state = after;
        if (outcome !== "as recorded") session.settleAs(id, outcome);
        next.push(session.state);
        taken.push(this.#goesBack ? new Map([...before, [this.#forks, way]]) : NONE);
      }
    }
    [this.#worlds, this.#taken] = [next, taken];
    const { tool, actions, proves } = read.call;
    this.#flips.push({ decision: event.decision.id, names: [tool, ...actions, ...proves] });
    for (const { path, access } of read.call.paths) {
      const fact = read.facts.final.paths[path] ?? read.facts.made.paths[path];
      if (access !== "read" && fact !== undefined) this.#unsettled.add(fact.resolved);
    }
  }
}
