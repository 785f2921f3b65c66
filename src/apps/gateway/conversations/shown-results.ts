import { setImmediate as breathe } from "node:timers/promises";
import type { Results } from "../../../base/ports/stores/results.ts";
import { type Page, pageResult } from "../../../behavior/results/page-result.ts";
import { characterCounter } from "../../../behavior/results/token-counter.ts";

export type ShownResultsOptions = {
  readonly results: Pick<Results, "read">;
  /** Gives what takes secrets out of a text, as they are taken out of the journal. */
  readonly redact: () => Promise<(text: string) => string>;
  /** Characters of texts that are kept ready for the next page; 32 million unless told. */
  readonly most?: number;
};

/** A piece of about this size is cleaned at once; then others have a turn. */
const PIECE = 4 * 1024 * 1024;
const MOST = 32 * 1024 * 1024;
const KEY_BEGINS = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_ENDS = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** Results that were cut, whole again for people: without their secrets, page by page. */
export class ShownResults {
  readonly #options: ShownResultsOptions;
  /** The newest last; a page is followed by the next one. */
  readonly #ready = new Map<string, string>();

  constructor(options: ShownResultsOptions) {
    this.#options = options;
  }

  /** `undefined` where it is not kept, or no longer. `offset` and `limit` are characters of the text as it is shown. */
  async page(session: string, handle: string, offset: number, limit: number): Promise<Page | undefined> {
    // Asked each time: what is gone is not shown because somebody has looked at it before.
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

/** The same as the whole at once would be: no piece ends within a line, or within a private key. */
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
