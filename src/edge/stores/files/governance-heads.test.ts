import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { memoryStores } from "../home-stores.ts";
import { headsInFile, replaceHeads, storedHeads, witnessed } from "./governance-heads.ts";

const root = mkdtempSync(join(tmpdir(), "conduct-heads-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let made = 0;
const place = () => join(root, `${++made}.heads`);
const head = (seq: number) => ({ seq, hash: String(seq % 10).repeat(64) });

describe("heads in a file", () => {
  it("DMJ-20 the newest stored head is found, whatever the order of lines and the file size", async () => {
    const file = place();
    const heads = headsInFile(file);
    expect(await heads.newest()).toBeUndefined();
    await heads.add(Array.from({ length: 500 }, (_, at) => head(at + 1)));
    await heads.add([head(502)]);
    await heads.add([head(501)]);
    expect(await heads.newest()).toEqual(head(502));
    expect((await storedHeads(file)).size).toBe(502);
  });

  it("DMJ-21 a head line cut off by a crash is ignored, and the next one is complete", async () => {
    const file = place();
    const heads = headsInFile(file);
    await heads.add([head(1)]);
    appendFileSync(file, "2:222");
    expect(await heads.newest()).toEqual(head(1));
    await heads.add([head(2)]);
    expect(await heads.newest()).toEqual(head(2));
    expect(readFileSync(file, "utf8").trim().split("\n")).toHaveLength(2);
  });

  it.each(["nonsense\n", "1:zz\n", "\u0000\n"])(
    "DMJ-22 a heads file with %j counts as damaged, never as empty",
    async (text) => {
      const file = place();
      writeFileSync(file, text);
      await expect(headsInFile(file).newest()).rejects.toThrow(/cannot be read.*conduct journal repair/s);
    },
  );

  it("DMJ-23 heads are replaced atomically, and the old ones are backed up", async () => {
    const file = place();
    await headsInFile(file).add([head(1), head(2)]);
    expect(await replaceHeads(file, [head(1)], `${file}.before`)).toBe(true);
    expect(await headsInFile(file).newest()).toEqual(head(1));
    expect((await storedHeads(`${file}.before`)).size).toBe(2);
  });

  it("DMJ-24 nothing is appended to a journal that ends before its stored head", async () => {
    const file = place();
    await headsInFile(file).add([head(3)]);
    const journal = witnessed(memoryStores().governance, headsInFile(file));
    const draft = { at: 1, by: "op", kind: "x", body: {} };
    await expect(journal.append(0, [draft])).rejects.toThrow("conduct journal repair");
    expect((await journal.head()).seq).toBe(0);
  });
});
