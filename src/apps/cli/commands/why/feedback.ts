import type { Feedback } from "../../../../base/words/feedback.ts";
import { feedbackHistory } from "../../../../engine/journal/feedback-history.ts";
import { plural, printableLine } from "../../../shared/printable.ts";
import type { FeedbackArgs } from "../../declared/observe-commands.ts";
import { badArgument, done, type Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import {
  commandOf,
  findSession,
  type JournalWorld,
  momentIn,
  processWorld,
  sessionNotFound,
  withStore,
} from "../../stores/with-store.ts";

const SHOWN = 50;

/** `conduct feedback SESSION [--provider NAME]`: the feedback that the agent got in a session, newest first. */
export async function feedback(
  { session: given, provider, limit: written }: FeedbackArgs,
  terminal: Terminal,
  world: JournalWorld = processWorld(),
): Promise<Outcome> {
  const again = (id: string) => commandOf("feedback", id);
  if (given === "") return badArgument("no session given: 'conduct status' lists them", "conduct feedback SESSION");
  const limit = Number(written ?? SHOWN);
  if (!Number.isInteger(limit) || limit < 1)
    return badArgument(
      `--limit takes a number from 1 on, not '${written}'`,
      commandOf("feedback", given, "--limit=20"),
    );
  return withStore(
    world,
    async ({ events: journal }) => {
      const found = await findSession(journal, given);
      if ("near" in found) return sessionNotFound(given, found.near, again);
      const { session } = found;
      const { feedback: history, next } = await feedbackHistory(journal, { session, provider, limit });
      const timeOf = momentIn(world.zone, world.now());
      const rows = history.flatMap((one) => rowsOf(one, timeOf, terminal));
      const of = provider === undefined ? "" : ` of ${printableLine(provider)}`;
      const none = `  no feedback${of} in ${session}`;
      const more = next === undefined ? [] : ["  older feedback: add --limit with a larger number"];
      const text = `\n${(rows.length === 0 ? [none] : [...rows, ...more]).join("\n")}\n\n`;
      return done({ session, feedback: history, more: next !== undefined }, text);
    },
    () => sessionNotFound(given, [], again),
  );
}

function rowsOf(
  { providerName, severity, summary, observations, suggestions, timestamp, callIndex }: Feedback,
  timeOf: (at: number) => string,
  { paint }: Terminal,
): readonly string[] {
  const head = `${timeOf(timestamp)}  ${printableLine(providerName)}  ${severity}, after ${plural(callIndex, "call")}`;
  return [
    `  ${paint("dim", head)}`,
    `    ${printableLine(summary)}`,
    ...observations.map((one) => `    · ${printableLine(`${one.category}: ${one.description}`)}`),
    ...suggestions.map((one) => `    → ${printableLine(one)}`),
  ];
}
