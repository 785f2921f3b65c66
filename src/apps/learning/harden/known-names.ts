import type { EventJournal } from "../../../base/ports/stores/event-journal.ts";
import type { Agent } from "../../../base/words/hosting/agent.ts";

/** How many of the newest calls are searched for names that no definition has. */
const CALLS = 2_000;

/** Tools and actions that a rule can name: declared by agents or seen recently. */
export async function knownNames(
  agents: readonly Pick<Agent, "tools" | "actions">[],
  journal: EventJournal | undefined,
): Promise<readonly string[]> {
  const declared = agents.flatMap(({ tools, actions }) => [...tools.map(({ name }) => name), ...Object.keys(actions)]);
  const page = await journal?.read({ types: ["call"], limit: CALLS });
  const seen = (page?.events ?? []).flatMap(({ event }) =>
    event.type === "call" ? [event.call.tool, ...event.call.actions] : [],
  );
  return [...new Set([...declared, ...seen])].sort();
}
