import type { JournalEvent } from "../../moments/line-of.ts";

/** A turn with its events, oldest first. */
export type RecentTurn = {
  readonly key: string;
  readonly session: string;
  readonly agent: string;
  readonly at: number;
  readonly text: string;
  readonly denials: number;
  readonly events: readonly JournalEvent[];
};

/** Returns the newest turns. A turn whose first event is missing is left out. */
export function recentTurns(events: readonly JournalEvent[], most: number): readonly RecentTurn[] {
  const turns = Map.groupBy(events, (event) => {
    // Messages that Conduct answered itself (a mode, a directive) start no turn of the agent.
    const own = event.type === "message" && event.reply !== undefined ? ` ${event.id}` : "";
    return `${event.session} ${event.turn}${own}`;
  });
  return [...turns]
    .flatMap(([key, found]): readonly RecentTurn[] => {
      const sorted = found.toSorted((a, b) => a.at - b.at || a.seq - b.seq);
      const said = sorted.find((event) => event.type === "message");
      const [first] = sorted;
      if (first === undefined || said?.type !== "message") return [];
      const denials = sorted.filter((event) => event.type === "call" && event.decision.kind === "deny").length;
      return [
        { key, session: first.session, agent: first.agent, at: said.at, text: said.text, denials, events: sorted },
      ];
    })
    .sort((a, b) => b.at - a.at)
    .slice(0, most);
}
