import { setImmediate as breathe } from "node:timers/promises";
import { z } from "zod";
import type { EventJournal } from "../../../../base/ports/stores/event-journal.ts";
import type { Results } from "../../../../base/ports/stores/results.ts";
import { type Page, pageResult } from "../../../../behavior/results/page-result.ts";
import { characterCounter } from "../../../../behavior/results/token-counter.ts";
import { notFound, Problem } from "../problem.ts";
import type { RouteHandlers, RouteTable } from "../route.ts";
import { ALL, integer } from "../schemas.ts";

type ShownResultsOptions = {
  readonly results: Pick<Results, "read">;
  /** Returns the function that redacts secrets, the same one as for the journal. */
  readonly redact: () => Promise<(text: string) => string>;
  /** Maximum number of characters in the cache of redacted texts; 32 million by default. */
  readonly most?: number;
};

/** Texts are redacted in chunks of about this size, so that other requests can run in between. */
const PIECE = 4 * 1024 * 1024;
const MOST = 32 * 1024 * 1024;
const KEY_BEGINS = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_ENDS = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** The full text of truncated results, redacted and in pages. */
export class ShownResults {
  readonly #options: ShownResultsOptions;
  /** Cached texts, the most recently used last. */
  readonly #ready = new Map<string, string>();

  constructor(options: ShownResultsOptions) {
    this.#options = options;
  }

  /**
   * Returns `undefined` if the result is no longer stored. `offset` and `limit` count characters of the redacted text.
   */
  async page(session: string, handle: string, offset: number, limit: number): Promise<Page | undefined> {
    // Read from the store every time, so that a deleted result is not served from the cache.
    const text = await this.#options.results.read(session, handle);
    const key = JSON.stringify([session, handle]);
    if (text === undefined) {
      this.#ready.delete(key);
      return undefined;
    }
    const clean = this.#ready.get(key) ?? (await cleaned(text, await this.#options.redact()));
    this.#keep(key, clean);
    return pageResult(clean, { offset, limitTokens: Math.ceil(limit / 4), counter: characterCounter });
  }

  #keep(key: string, text: string): void {
    this.#ready.delete(key);
    this.#ready.set(key, text);
    let size = [...this.#ready.values()].reduce((sum, { length }) => sum + length, 0);
    for (const [oldest, { length }] of this.#ready) {
      if (size <= (this.#options.most ?? MOST)) break;
      this.#ready.delete(oldest);
      size -= length;
    }
  }
}

/** Returns the same text as redacting it at once: no chunk ends within a line or a private key. */
async function cleaned(text: string, redact: (text: string) => string): Promise<string> {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const to = pieceEnd(text, from);
    pieces.push(redact(text.slice(from, to)));
    from = to;
    if (from < text.length) await breathe();
  }
  return pieces.join("");
}

function pieceEnd(text: string, from: number): number {
  let end = lineEnd(text, from + PIECE);
  for (;;) {
    const begun = last(text.slice(from, end), KEY_BEGINS);
    if (begun === undefined || end >= text.length) return end;
    KEY_ENDS.lastIndex = from + begun;
    const closing = KEY_ENDS.exec(text);
    if (closing === null) return text.length;
    const closed = closing.index + closing[0].length;
    if (closed <= end) return end;
    end = lineEnd(text, closed);
  }
}

function lineEnd(text: string, at: number): number {
  const newline = at >= text.length ? -1 : text.indexOf("\n", at);
  return newline === -1 ? text.length : newline + 1;
}

function last(text: string, pattern: RegExp): number | undefined {
  let found: number | undefined;
  for (const { index } of text.matchAll(pattern)) found = index;
  return found;
}

export const resultRoutes = {
  "GET /api/sessions/{id}/results/{handle}": {
    summary:
      "A result that was cut, whole: a page of its text from `offset` on, without its secrets; `next` is where the rest begins. A user sees those of their own sessions",
    tag: "sessions",
    roles: ALL,
    query: z.object({ offset: integer().default(0), limit: integer(100).max(100_000).default(20_000) }),
    response: z.object({
      handle: z.string(),
      text: z.string(),
      offset: z.number(),
      total: z.number(),
      next: z.number().optional(),
    }),
  },
} satisfies RouteTable;

export function resultHandlers(
  results: ShownResults,
  journal: Pick<EventJournal, "session">,
): RouteHandlers<typeof resultRoutes> {
  return {
    async "GET /api/sessions/{id}/results/{handle}"({ params, query }, { user }) {
      const session = await journal.session(params.id);
      if (session === undefined || (user.role === "user" && session.user !== user.id))
        throw notFound(`session '${params.id}'`);
      const page = await results.page(params.id, params.handle, query.offset, query.limit);
      if (page === undefined)
        throw new Problem(404, "RESULT_GONE", "This result is not kept here, or no longer.", {
          fix: "Whole results are kept for a week, within 1 GB, by the daemon and the gateway of this machine. Run the tool again to have it.",
        });
      const { text, offset, total, nextOffset: next } = page;
      return { handle: params.handle, text, offset, total, next };
    },
  };
}
