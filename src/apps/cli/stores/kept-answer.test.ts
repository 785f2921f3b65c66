import { mkdtempSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { keptAnswer } from "./kept-answer.ts";

/** Longer than the coarsest time of a file system, so that a file counts as unchanged. */
const SETTLED = 2_100;

async function world() {
  const folder = mkdtempSync(join(tmpdir(), "conduct-kept-"));
  const source = join(folder, "source");
  writeFileSync(source, "one");
  await setTimeout(SETTLED);
  let made = 0;
  const answer = (key = "here", files = [source, join(folder, "absent")]) =>
    keptAnswer({ folder, name: "answer", key }, async () => {
      made += 1;
      return { value: `${readFileSync(source, "utf8")} ${key}`, files };
    });
  return { folder, source, answer, made: () => made };
}

describe("answers that are kept until a file changes", () => {
  it("KEP-1 an answer is made once for the same files, and anew when one of them changes or appears", async () => {
    const { folder, source, answer, made } = await world();
    expect([await answer(), await answer(), made()]).toEqual(["one here", "one here", 1]);
    writeFileSync(source, "two");
    expect([await answer(), made()]).toEqual(["two here", 2]);
    const old = new Date(Date.now() - 60_000);
    utimesSync(source, old, old);
    await setTimeout(SETTLED);
    await answer();
    writeFileSync(join(folder, "absent"), "");
    await answer();
    expect(made()).toBe(4);
  });

  it("KEP-2 a file that changed a moment ago is not relied on, and each key has its own answer", async () => {
    const { source, answer, made } = await world();
    expect([await answer("a"), await answer("b"), await answer("a"), made()]).toEqual(["one a", "one b", "one a", 2]);
    writeFileSync(source, "two");
    await answer("a");
    await answer("a");
    expect(made()).toBe(4);
  });

  it("KEP-3 without a folder, and with a damaged file, the answer is made anew", async () => {
    const { folder, answer, made } = await world();
    await answer();
    writeFileSync(join(folder, "answer.json"), "{");
    expect([await answer(), made()]).toEqual(["one here", 2]);
    expect(await keptAnswer({ folder: undefined, name: "answer", key: "here" }, async () => ({ value: 3 }))).toBe(3);
  });
});
