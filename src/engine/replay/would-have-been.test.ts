import fc from "fast-check";
import { expect, it } from "vitest";
import type { ConductEvent } from "../../base/words/event.ts";
import { objectionsIn } from "./compare-decisions.ts";
import { outcomesOf } from "./courses.ts";
import { ranIn } from "./look-ahead.ts";
import { ReplayAgents } from "./replay-agents.ts";
import { EventReplayer } from "./replay-events.ts";
import type { EventOf, Said } from "./replay-session.ts";
import { changedRulesArbitrary, coursesArbitrary } from "./test-courses.ts";
import { type Otherwise, record } from "./test-recording.ts";
import { agentsOf } from "./test-setting.ts";

const callsOf = (events: readonly ConductEvent[]) =>
  events.flatMap((event): readonly EventOf<"call">[] => (event.type === "call" ? [event] : []));
const isLost = (why: string) => why.includes("than are followed");
const saidIn = ({ decision, shadows = [] }: EventOf<"call">): Said => ({ decision, shadows });
/** Kind and objections; how often something was tried before hangs on what was tried. */
const words = (said: Said) => `${said.decision.kind} ${[...objectionsIn(said).keys()].sort().join(" ")}`;

/**
 * The same session on the real engine under the new rules: what was decided otherwise goes on by chance in one of the ways in which it may
 * have. Whatever the replay tells has to come true, whichever it was.
 */
it("RP-14 what is told would have happened, whatever became of what nobody knows", async () => {
  let [held, open] = [0, 0];
  const whats = ["step-closed", "agent", "compacted", "snapshot", "restore", "restore", "resume"] as const;
  await fc.assert(
    fc.asyncProperty(
      changedRulesArbitrary,
      coursesArbitrary(whats),
      fc.infiniteStream(fc.nat({ max: 1 })),
      async ({ old, now }, steps, chance) => {
        const [events = []] = (await record(old, steps)).sessions;
        const { changes } = new EventReplayer(new ReplayAgents(agentsOf(now))).replay(events);
        const before = new Map(callsOf(events).map((event) => [event.call.id, event.decision]));
        const ran = ranIn(events);
        const otherwise: Otherwise = (call, decision) => {
          const was = before.get(call);
          const ways = was === undefined ? undefined : outcomesOf(was, decision, ran.has(was.id));
          const way = ways?.[chance.next().value ?? 0];
          return way === "as recorded" ? undefined : way;
        };
        const [other = []] = (await record(now, steps, {}, otherwise)).sessions;
        const told = new Map(changes.map((one) => [one.call, one]));
        const would = new Map(callsOf(other).map((event) => [event.call.id, event]));
        for (const event of callsOf(events)) {
          const change = told.get(event.call.id);
          // From here on only what differs would be told.
          if (change?.kind === "cannot-tell" && (change.code !== "outcome" || isLost(change.why))) break;
          const really = would.get(event.call.id);
          if (change?.kind === "cannot-tell" || really === undefined) {
            open += 1;
            continue;
          }
          held += 1;
          const said = change === undefined ? saidIn(event) : change.now;
          expect(`${event.call.id} ${words(saidIn(really))}`).toBe(`${event.call.id} ${words(said)}`);
        }
      },
    ),
    process.env.CONDUCT_FUZZ === undefined ? { numRuns: 300 } : {},
  );
  expect(held).toBeGreaterThan(1_000);
  expect(open).toBeGreaterThan(50);
}, 600_000);
