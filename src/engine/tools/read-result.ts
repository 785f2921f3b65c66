import type { Results } from "../../base/ports/stores/results.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { ToolResult } from "../../base/words/result.ts";
import { type Page, pageResult } from "../../behavior/results/page-result.ts";
import { truncatorFor } from "../../behavior/results/truncator.ts";
import { failed, isWhole, succeeded } from "./tool-run.ts";

/** What the tool works with. `budget` is what the turn leaves for this result, where that is less than its share. */
export type ReadResultContext = {
  readonly session: string;
  readonly results: Results;
  readonly counter: TokenCounter;
  readonly window: number;
  readonly share?: number | undefined;
  readonly budget?: number | undefined;
};

/** Pages through what was cut from an earlier result of the same session; its own result is never cut again. */
export const readResult = {
  name: "read_result",
  access: "read",
  description:
    "Reads more of a tool result that was truncated. Give the handle from the notice, and the offset to start at.",
  inputSchema: {
    type: "object",
    properties: {
      handle: { type: "string", description: "The handle from the truncation notice." },
      offset: { type: "integer", minimum: 0, description: "Character to start at. Default: 0." },
      limit: { type: "integer", minimum: 1, description: "Maximum number of tokens. Default: as many as fit." },
    },
    required: ["handle"],
    additionalProperties: false,
  },
  async run(args: JsonObject, context: ReadResultContext): Promise<ToolResult> {
    const { handle, offset = 0, limit } = args;
    if (typeof handle !== "string" || handle === "") {
      return failed("read_result needs `handle`, the string from the truncation notice.");
    }
    if (!isWhole(offset, 0)) return failed("read_result takes `offset` as a whole number of at least 0.");
    if (limit !== undefined && !isWhole(limit, 1)) {
      return failed("read_result takes `limit` as a whole number of tokens, at least 1.");
    }
    const name = JSON.stringify(handle.slice(0, 80));
    let text: string | undefined;
    try {
      text = await context.results.read(context.session, handle);
    } catch {
      return failed(`The result ${name} could not be read; try again.`);
    }
    if (text === undefined) return failed(`There is no result ${name} in this session; it may have been deleted.`);
    if (offset > text.length) return failed(`The result ends at offset ${text.length}.`);
    return succeeded(render(text, handle, offset, limit, context));
  },
} as const;

/** The page and, under it, where it stands and how to go on; together within the budget. */
function render(text: string, handle: string, offset: number, limit: number | undefined, context: ReadResultContext) {
  const { counter } = context;
  const { keep } = truncatorFor(context);
  const most = Math.min(keep, context.budget ?? keep);
  const widest = { text: "", offset: text.length, nextOffset: text.length, total: text.length };
  const sizes = FOOTERS.map((footer) => counter.count(footer(widest, handle)));
  const at = sizes.findIndex((size) => size <= most / 2);
  const footer = FOOTERS[at] ?? none;
  let limitTokens = Math.min(limit ?? most, most - (sizes[at] ?? 0));
  for (;;) {
    const page = pageResult(text, { offset, limitTokens, counter });
    const shown = `${page.text}${footer(page, handle)}`;
    const over = counter.count(shown) - most;
    if (over <= 0 || limitTokens <= 1) return shown;
    limitTokens = Math.max(1, limitTokens - over);
  }
}

type Footer = (page: Page, handle: string) => string;
const none: Footer = () => "";
const FOOTERS: readonly Footer[] = [full, short, none];

function full(page: Page, handle: string): string {
  const place = `characters ${page.offset} to ${page.offset + page.text.length} of ${page.total}`;
  const next = `Next: {"handle":${JSON.stringify(handle)},"offset":${page.nextOffset}}`;
  return `\n\n[${place}. ${page.nextOffset === undefined ? "This is the end." : next}]`;
}

function short(page: Page): string {
  return `\n\n[${page.nextOffset === undefined ? "end" : `next offset ${page.nextOffset}`}]`;
}
