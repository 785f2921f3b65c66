import { quoteForeign } from "../../base/kernel/foreign-text.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { Instructions, MemoryNote } from "../../base/words/hosting/instructions.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { ToolResult } from "../../base/words/result.ts";
import { listEntry, showItem } from "../../behavior/instructions/instruction-items.ts";
import { sawItems } from "../../behavior/instructions/judge-change.ts";
import { truncatorFor } from "../../behavior/results/truncator.ts";
import type { ReadResultContext } from "./read-result.ts";
import { failed, isWhole, knownArgs, NO_USER, ownerOf, succeeded, type UserContext } from "./tool-run.ts";

/** What a call of read_memory asks for. */
type MemoryRequest = {
  readonly query?: string;
  readonly limit: number;
  readonly offset: number;
  /** Id of the last instruction that was seen. */
  readonly after?: string;
};

const MAX_QUERY = 400;
const MAX_LIMIT = 100;

/** The arguments as a request, or what is wrong with them. */
function readMemoryRequest(args: JsonObject): MemoryRequest | { readonly fault: string } {
  const known = knownArgs("read_memory", args, ["query", "limit", "offset", "after"]);
  if ("fault" in known) return { fault: `${known.fault} It always reads the memory of this session's user.` };
  const { query = "", limit = 20, offset = 0, after = "" } = known.given;
  if (typeof query !== "string" || query.length > MAX_QUERY) {
    return { fault: `\`query\` must be a string of at most ${MAX_QUERY} characters: use only the important words.` };
  }
  if (!isWhole(limit, 1, MAX_LIMIT)) return { fault: `\`limit\` must be a whole number from 1 to ${MAX_LIMIT}.` };
  if (!isWhole(offset, 0)) return { fault: "`offset` must be a whole number of at least 0." };
  if (typeof after !== "string" || after.length > 100) return { fault: "`after` must be the id of an instruction." };
  return { limit, offset, query: query.toWellFormed().trim() || undefined, after: after || undefined };
}

/** Tokens for what stands around the entries, the query aside. */
const AROUND = 250;

/** Reads the user's standing instructions, all of them, and notes. Its own result is never cut: what is shown was seen. */
export const readMemory = {
  name: "read_memory",
  description:
    "Reads your memory of this user: all standing instructions with their ids, and the notes that match `query` (the newest without " +
    "one). Call it before you answer anything about the user's preferences, past conversations or projects, and before you replace instructions.",
  access: "read",
  inputSchema: {
    type: "object",
    properties: {
      query: { type: "string", description: "Words to look for in the notes; the best matches come first." },
      limit: { type: "integer", minimum: 1, maximum: 100, description: "Maximum number of notes. Default: 20." },
      offset: { type: "integer", minimum: 0, description: "Number of notes to skip. Default: 0." },
      after: { type: "string", description: "Id of the last instruction shown; the list continues after it." },
    },
    additionalProperties: false,
  },
  async run(args: JsonObject, user: UserContext, context: Page): Promise<ToolResult> {
    const request = readMemoryRequest(args);
    if ("fault" in request) return failed(request.fault);
    const owner = ownerOf(user);
    if (owner === undefined) return failed(NO_USER);
    const { query, limit, offset } = request;
    const search = { limit, offset, text: query };
    const [instructions, notes] = await Promise.all([
      attempt(async () => user.instructions?.read(owner)),
      attempt(async () => user.memory?.search(owner, search)),
    ]);
    const room = new Room(context, query);
    const lines: string[] = [];
    if (instructions === "unreadable") lines.push(UNREADABLE_INSTRUCTIONS);
    else if (instructions !== undefined) {
      const listed = listInstructions(instructions, request, room);
      if ("fault" in listed) return failed(listed.fault);
      lines.push(...listed.lines);
      user.seen.set(sawItems(user.seen.get(), instructions.items, listed.shown));
    }
    if (notes === "unreadable") lines.push("", UNREADABLE_NOTES);
    else if (notes !== undefined) lines.push("", ...listNotes(notes, request, room));
    const text = lines.join("\n").trim();
    return instructions === "unreadable" || notes === "unreadable" ? failed(text) : succeeded(text);
  },
} as const;

const UNREADABLE_INSTRUCTIONS =
  "The standing instructions cannot be read right now. They may still exist: follow those in your prompt, " +
  "ask before anything that cannot be undone, and try again later.";
const UNREADABLE_NOTES =
  "The notes cannot be read right now. They may still exist: mention this if it matters, and try again later.";

type Page = Pick<ReadResultContext, "counter" | "window" | "share" | "budget">;
type Found = { readonly notes: readonly MemoryNote[]; readonly total: number };

function listInstructions(
  { version, items }: Instructions,
  { after }: MemoryRequest,
  room: Room,
): { readonly lines: readonly string[]; readonly shown: readonly string[] } | { readonly fault: string } {
  const from = after === undefined ? 0 : items.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && from === 0) {
    return {
      fault: `There is no instruction with the id ${JSON.stringify(after)}: omit \`after\`.`,
    };
  }
  if (items.length === 0) return { lines: [`Standing instructions: none (version ${version}).`], shown: [] };
  const rest = items.slice(from);
  const entries = room.take(rest.map((item) => showItem(item, `- [${item.id}] `)));
  const shown = rest.slice(0, entries.length).map(({ id }) => id);
  const left = rest.length - shown.length;
  const next = shown.at(-1) === undefined ? "in the next turn" : `with {"after": ${JSON.stringify(shown.at(-1))}}`;
  return {
    lines: [
      `Standing instructions (version ${version}, ${items.length} in all):`,
      ...entries,
      ...(left === 0 ? [] : [`[${left} more do not fit here: call read_memory ${next}.]`]),
    ],
    shown,
  };
}

function listNotes({ notes, total }: Found, { query, limit, offset }: MemoryRequest, room: Room): readonly string[] {
  const matching = query === undefined ? "" : ` that match ${quoteForeign(JSON.stringify(query))}`;
  if (total === 0) return [query === undefined ? "Notes: none." : `Notes: none${matching}. Try other words, or none.`];
  if (notes.length === 0) return [`Notes: ${total}${matching}, and none from offset ${offset} on.`];
  const entries = room.take(notes.map(showNote));
  const end = offset + entries.length;
  const place = `notes ${offset + 1} to ${end} of ${total}${matching}`;
  const next = JSON.stringify({ query, limit, offset: end });
  if (entries.length === 0) return [`[${total} notes${matching}, but none fits here: call again in the next turn.]`];
  return ["Notes:", ...entries, `[${place}. ${end >= total ? "This is the end." : `Next: ${quoteForeign(next)}`}]`];
}

function showNote({ id, text, at }: MemoryNote): string {
  const day = new Date(at);
  const when = Number.isNaN(day.getTime()) ? "" : ` ${day.toISOString().slice(0, 10)}`;
  return listEntry(quoteForeign(text), `- [${id}${when}] `);
}

/** What may still be shown, in tokens. */
class Room {
  readonly #counter: TokenCounter;
  #left: number;

  constructor(context: Page, query = "") {
    const { keep } = truncatorFor(context);
    this.#counter = context.counter;
    this.#left = Math.min(keep, context.budget ?? keep) - AROUND - 2 * context.counter.count(JSON.stringify(query));
  }

  /** As many of the entries, from the first on, as there is room for. */
  take(entries: readonly string[]): readonly string[] {
    const end = entries.findIndex((entry) => {
      // Two for the line's end: what is counted apart may be one more together.
      const needs = this.#counter.count(entry) + 2;
      if (needs > this.#left) return true;
      this.#left -= needs;
      return false;
    });
    return end === -1 ? entries : entries.slice(0, end);
  }
}

/** What a store answers; a failed read is not "none". */
async function attempt<T>(ask: () => Promise<T>): Promise<T | "unreadable"> {
  try {
    return await ask();
  } catch {
    return "unreadable";
  }
}
