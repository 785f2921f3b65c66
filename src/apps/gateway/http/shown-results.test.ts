import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactTextWith } from "../../../engine/journal/redact-event.ts";
import { ShownResults } from "./shown-results.ts";

const redact = redactTextWith(new Uint8Array(32));
const LINE = `${"the quick brown fox ".repeat(12)}\n`;

function shown(texts: { readonly [handle: string]: string }, most?: number) {
  const asked: string[] = [];
  const results = {
    async read(session: string, handle: string) {
      return session === "s" ? texts[handle] : undefined;
    },
  };
  const options = {
    results,
    redact: async () => (text: string) => {
      asked.push(text);
      return redact(text);
    },
    most,
  };
  return { pages: new ShownResults(options), asked };
}

async function whole(pages: ShownResults, handle: string, limit: number): Promise<string> {
  let text = "";
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page = await pages.page("s", handle, offset, limit);
    if (page === undefined) throw new Error("it is gone");
    text += page.text;
    offset = page.nextOffset;
  }
  return text;
}

describe("results shown to people", () => {
  it("SR-1 consecutive pages give the whole redacted text, wherever they are split", async () => {
    const secret = "password=hunter2hunter2";
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(secret, LINE, "👩‍👩‍👧", "\n"))),
        fc.integer({ min: 1, max: 300 }),
        async (parts, limit) => {
          const text = parts.join(" ");
          const read = await whole(shown({ h: text }).pages, "h", limit);
          expect(read).toBe(redact(text));
          expect(read).not.toContain("hunter2hunter2");
        },
      ),
    );
  });

  it("SR-2 a long text is redacted in pieces with the same result as at once; no line or private key is split", async () => {
    const key = `-----BEGIN RSA PRIVATE KEY-----\n${"MIIEow\n".repeat(400)}-----END RSA PRIVATE KEY-----\n`;
    const fill = LINE.repeat(Math.ceil((4 * 1024 * 1024) / LINE.length));
    const text = `${fill.slice(0, -1_000)}\n${key}token = abcdef0123456789\n${fill}${key}${fill}`;
    const { pages, asked } = shown({ h: text });
    const read = await whole(pages, "h", 100_000);
    expect(read === redact(text)).toBe(true);
    expect(read).not.toContain("MIIEow");
    expect(asked.length).toBeGreaterThan(2);
    for (const piece of asked.slice(0, -1)) expect(piece.endsWith("\n")).toBe(true);
  });

  it("SR-3 a private key without an end is redacted to the end of the text, also in pieces", async () => {
    const fill = LINE.repeat(20_000);
    const text = `${fill}-----BEGIN PRIVATE KEY-----\nMIIEow\n${fill}`;
    expect((await whole(shown({ h: text }).pages, "h", 100_000)) === redact(text)).toBe(true);
  });

  it("SR-4 the next page needs no second redaction; the least recently read text is evicted", async () => {
    const texts = { a: "a\n".repeat(500), b: "b\n".repeat(500), c: "c\n".repeat(500) };
    const { pages, asked } = shown(texts, 2_500);
    for (const handle of ["a", "b", "a", "c", "a", "b"]) await pages.page("s", handle, 100, 200);
    expect(asked.map((text) => text[0])).toEqual(["a", "b", "c", "b"]);
  });

  it("SR-5 a deleted result is not served from the cache; a handle is valid only in its session", async () => {
    const texts: { h?: string } = { h: "kept" };
    const { pages } = shown(texts as { readonly [handle: string]: string });
    expect(await pages.page("s", "h", 0, 100)).toEqual({ text: "kept", offset: 0, total: 4 });
    expect(await pages.page("other", "h", 0, 100)).toBeUndefined();
    delete texts.h;
    expect(await pages.page("s", "h", 0, 100)).toBeUndefined();
  });

  it("SR-6 an offset after the end returns an empty page", async () => {
    expect(await shown({ h: "kept" }).pages.page("s", "h", 1_000, 100)).toEqual({ text: "", offset: 4, total: 4 });
  });
});
