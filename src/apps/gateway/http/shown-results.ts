import { setImmediate as breathe } from "node:timers/promises";
import type { Results } from "../../../base/ports/stores/results.ts";
import { type Page, pageResult } from "../../../behavior/results/page-result.ts";
import { characterCounter } from "../../../behavior/results/token-counter.ts";

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
