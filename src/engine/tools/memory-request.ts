import type { JsonObject } from "../../base/words/json.ts";
import { isWhole, knownArgs } from "./tool-text.ts";

/** What a call of read_memory asks for. */
export type MemoryRequest = {
  readonly query?: string;
  readonly limit: number;
  readonly offset: number;
  /** Id of the last instruction that was seen. */
  readonly after?: string;
};

const MAX_QUERY = 400;
const MAX_LIMIT = 100;

/** The arguments as a request, or what is wrong with them. */
export function readMemoryRequest(args: JsonObject): MemoryRequest | { readonly fault: string } {
  const known = knownArgs("read_memory", args, ["query", "limit", "offset", "after"]);
  if ("fault" in known) return { fault: `${known.fault} It always reads what is kept about this session's user.` };
  const { query = "", limit = 20, offset = 0, after = "" } = known.given;
  if (typeof query !== "string" || query.length > MAX_QUERY) {
    return { fault: `\`query\` must be a text of at most ${MAX_QUERY} characters: give the words that matter.` };
  }
  if (!isWhole(limit, 1, MAX_LIMIT)) return { fault: `\`limit\` must be a whole number from 1 to ${MAX_LIMIT}.` };
  if (!isWhole(offset, 0)) return { fault: "`offset` must be a whole number of at least 0." };
  if (typeof after !== "string" || after.length > 100) return { fault: "`after` must be the id of an instruction." };
  return {
    limit,
    offset,
    ...(query.trim() === "" ? {} : { query: query.toWellFormed().trim() }),
    ...(after === "" ? {} : { after }),
  };
}
