import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { InstructionsStore, InstructionsWrite } from "../../../base/ports/stores/instructions.ts";
import type { UserAgent } from "../../../base/words/hosting/instructions.ts";

const ANN: UserAgent = { user: "ann", agent: "helper" };

/** Owners that some store might take for another's, or for code. */
const ODD_OWNERS: readonly UserAgent[] = [
  { user: "Ann", agent: "helper" },
  { user: "ann", agent: "Helper" },
  { user: "ann ", agent: "helper" },
  { user: "annhelper", agent: "" },
  { user: "", agent: "annhelper" },
  { user: 'ann","helper', agent: "" },
  { user: "ann:helper", agent: "helper" },
  { user: "a%", agent: "h_lper" },
  { user: "'; DROP TABLE instructions; --", agent: "../../etc" },
  { user: "__proto__", agent: "constructor" },
  { user: "\u00e4", agent: "helper" },
  { user: "a\u0308", agent: "helper" },
  { user: "😀".repeat(500), agent: "x".repeat(2_000) },
];

function items(...texts: readonly string[]): InstructionsWrite {
  return { items: texts.map((text, at) => ({ id: `i_${at}`, text })), at: 7, by: "s", change: "replace" };
}

/** What every store of instructions does. */
export function instructionsSuite(name: string, open: () => Promise<InstructionsStore>): void {
  describe(`instructions: ${name}`, () => {
    it("INS-1 instructions that were never written are version 0 without items", async () => {
      const store = await open();
      expect(await store.read(ANN)).toEqual({ version: 0, items: [], at: 0, by: "", change: "none" });
      expect(await store.version(ANN, 1)).toBeUndefined();
    });

    it("INS-2 the store returns the newest version of instructions, with its items in order", async () => {
      const store = await open();
      const write = { ...items("b", "a"), by: "s_1", at: 1_700_000_000_000, change: "add" as const };
      expect(await store.write(ANN, 0, write)).toBe(true);
      expect(await store.read(ANN)).toEqual({ version: 1, ...write });
      expect(await store.write(ANN, 1, { ...items(), change: "clear" })).toBe(true);
      expect(await store.read(ANN)).toMatchObject({ version: 2, items: [], change: "clear" });
    });

    it("INS-3 older versions of instructions never change", async () => {
      const store = await open();
      for (let version = 0; version < 30; version++) await store.write(ANN, version, items(`text ${version + 1}`));
      for (const version of [1, 15, 30]) {
        expect(await store.version(ANN, version)).toEqual({ version, ...items(`text ${version}`) });
      }
      for (const none of [31, -1, 1.5, Number.NaN]) expect(await store.version(ANN, none)).toBeUndefined();
    });

    it.each([-1, 0, 2, 7, 0.5])(
      "INS-4 writing instructions after version %d, when 1 is the newest, has no effect",
      async (after) => {
        const store = await open();
        await store.write(ANN, 0, items("first"));
        expect(await store.write(ANN, after, items("second"))).toBe(false);
        expect(await store.read(ANN)).toMatchObject({ version: 1, items: [{ text: "first" }] });
        expect(await store.version(ANN, 2)).toBeUndefined();
      },
    );

    it("INS-5 of concurrent writers one wins each version of the instructions; retries lose nothing", async () => {
      const store = await open();
      const add = async (text: string): Promise<void> => {
        for (;;) {
          const { version, items: before } = await store.read(ANN);
          const next = { ...items(), items: [...before, { id: text, text }], change: "add" as const };
          if (await store.write(ANN, version, next)) return;
        }
      };
      const texts = Array.from({ length: 20 }, (_, at) => `t${at}`);
      await Promise.all(texts.map(add));
      const { version, items: all } = await store.read(ANN);
      expect(version).toBe(20);
      expect(all.map(({ id }) => id).sort()).toEqual(texts.sort());
    });

    it("INS-6 instructions of different owners are separate, whatever their names", async () => {
      const store = await open();
      await store.write(ANN, 0, items("Ann's"));
      for (const [at, owner] of ODD_OWNERS.entries()) {
        expect(await store.read(owner)).toMatchObject({ version: 0 });
        expect(await store.version(owner, 1)).toBeUndefined();
        expect(await store.write(owner, 0, items(`of ${at}`))).toBe(true);
      }
      for (const [at, owner] of ODD_OWNERS.entries()) {
        expect(await store.read(owner)).toMatchObject({ version: 1, items: [{ text: `of ${at}` }] });
      }
      expect(await store.read(ANN)).toMatchObject({ version: 1, items: [{ text: "Ann's" }] });
    });

    it.each(["a\0b", "\ud800"])(
      "INS-7 instructions of an owner %j are separate or rejected with a reason",
      async (user) => {
        const store = await open();
        const owner = { user, agent: "helper" };
        for (const other of ["a", "ab", "\ufffd", "\ud801"]) {
          await store.write({ user: other, agent: "helper" }, 0, items("other")).catch(() => false);
        }
        const refused = await store.write(owner, 0, items("mine")).then(() => undefined, String);
        if (refused === undefined)
          expect(await store.read(owner)).toMatchObject({ version: 1, items: [{ text: "mine" }] });
        else expect(refused).toMatch(/user|character/i);
      },
    );

    it("INS-8 any instruction is read back unchanged; lone surrogates become U+FFFD; NUL is unchanged or rejected", async () => {
      const store = await open();
      await store.write(ANN, 0, items("'\"\\;--\n\t$1 %s {} 😀 e\u0301 \u2028", "a\ud800b", ""));
      const { items: kept } = await store.read(ANN);
      expect(kept.map(({ text }) => text)).toEqual(["'\"\\;--\n\t$1 %s {} 😀 e\u0301 \u2028", "a\ufffdb", ""]);
      const refused = await store.write(ANN, 1, items("a\0b")).then(() => undefined, String);
      if (refused !== undefined) expect(refused).toMatch(/NUL/);
      else expect(await store.read(ANN)).toMatchObject({ items: [{ text: "a\0b" }] });
      const text = fc.string({ unit: "grapheme" }).map((one) => one.replaceAll("\0", "").toWellFormed());
      await fc.assert(
        fc.asyncProperty(fc.array(text), async (texts) => {
          const { version } = await store.read(ANN);
          await store.write(ANN, version, items(...texts));
          expect((await store.read(ANN)).items).toEqual(items(...texts).items);
        }),
        { numRuns: 30 },
      );
    });

    it("INS-9 200 instructions of 2,000 characters are stored uncut", async () => {
      const store = await open();
      const texts = Array.from({ length: 200 }, (_, at) => `${at} `.padEnd(2_000, "ü"));
      await store.write(ANN, 0, items(...texts));
      expect((await store.read(ANN)).items.map(({ text }) => text)).toEqual(texts);
    });

    it("INS-10 later changes to the caller's list do not affect the stored instructions", async () => {
      const store = await open();
      const list = [{ id: "i_0", text: "mine" }];
      await store.write(ANN, 0, { ...items(), items: list });
      list[0] = { id: "i_0", text: "changed" };
      list.push({ id: "i_1", text: "more" });
      expect((await store.read(ANN)).items).toEqual([{ id: "i_0", text: "mine" }]);
    });
  });
}
