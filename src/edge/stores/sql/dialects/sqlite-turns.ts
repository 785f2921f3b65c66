import type { Prepare } from "./sqlite-writer.ts";

/** The columns of a turn. `message` is null unless the channel numbers its messages. */
type TurnRow = {
  readonly turn: string;
  readonly conversation: string;
  readonly message: string | null;
  readonly at: number;
  readonly open: number;
  readonly body: string;
};

/** Writes entries after `after`. Returns false if that is not the last entry. */
export function appending(conversation: string, after: number, entries: readonly string[]) {
  return (prepare: Prepare): boolean => {
    const last = prepare("select max(seq) as seq from conduct_transcripts where conversation = ?").get(conversation);
    if ((last?.seq ?? 0) !== after) return false;
    const insert = prepare("insert into conduct_transcripts (conversation, seq, entry) values (?, ?, ?)");
    for (const [at, entry] of entries.entries()) insert.run(conversation, after + at + 1, entry);
    return true;
  };
}

/** Adds a turn. Returns the row of the same message if the store has one. */
export function adding({ turn, conversation, message, at, open, body }: TurnRow) {
  return (prepare: Prepare): { readonly turn: string; readonly body: string } | undefined => {
    const added = prepare(
      "insert into conduct_turns (turn, conversation, message, at, open, body) values (?, ?, ?, ?, ?, ?) " +
        "on conflict (conversation, message) where message is not null do nothing",
    ).run(turn, conversation, message, at, open, body);
    if (added.changes === 0) {
      const same = "select turn, body from conduct_turns where conversation = ? and message = ?";
      const row = prepare(same).get(conversation, message);
      return { turn: String(row?.turn), body: String(row?.body) };
    }
    touch(prepare, conversation, at, at);
    return undefined;
  };
}

/** Updates an open turn. Returns `ended` if it is not open any more. */
export function updating({ turn, conversation, open, body }: TurnRow, at: number) {
  return (prepare: Prepare): "updated" | "ended" | "missing" => {
    // SQLite writes the index of each column that a statement sets, even to the same value.
    const own = open === 1 ? "set body = ?" : "set open = 0, body = ?";
    const updated = prepare(`update conduct_turns ${own} where turn = ? and open = 1`).run(body, turn);
    if (updated.changes === 0)
      return prepare("select 1 from conduct_turns where turn = ?").get(turn) === undefined ? "missing" : "ended";
    if (open === 0) touch(prepare, conversation, at, at - SAME_TIME_MS);
    return "updated";
  };
}

/** The end of a turn changes the time of its conversation only after so long, because each change writes four pages. */
export const SAME_TIME_MS = 60_000;

function touch(prepare: Prepare, conversation: string, at: number, ifBefore: number): void {
  const newer = "update conduct_conversations set last_at = ? where conversation = ? and last_at < ?";
  prepare(newer).run(at, conversation, ifBefore);
}
