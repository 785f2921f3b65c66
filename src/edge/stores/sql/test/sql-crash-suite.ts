import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import type { GovernanceEntry } from "../../../../base/ports/stores/governance.ts";
import { verifyChain } from "../../../../engine/journal/governance-chain.ts";
import { readAll } from "../../test/governance-suite.ts";
import type { StorePlace } from "../open-database.ts";
import type { SqlStore } from "../sql-store.ts";
import { type Acknowledged, WRITER, type Written } from "./writer.ts";

/** A few, each with a process of its own to start: `npm run bench:crash` kills 200. */
const KILLS = 5;

/** Many processes, and processes that are killed. */
export function crashSuite(
  name: string,
  place: () => Promise<StorePlace>,
  open: (at: StorePlace) => Promise<SqlStore>,
): void {
  describe(`${name} store: processes`, { timeout: 240_000 }, () => {
    it("GOV-16 20 processes that start at once and create the store lose nothing", async () => {
      await finish(startWriter(await place(), "open", "warm"));
      const at = await place();
      const writers = Array.from({ length: 20 }, (_, writer) => startWriter(at, "once", `w${writer}`));
      const acknowledged = (await Promise.all(writers.map(finish))).flat();
      const entries = await readAll((await open(at)).governance);
      expect(new Set(entries.map(({ by }) => by)).size).toBe(20);
      expectWhole(entries, acknowledged);
      expect(entries).toHaveLength(acknowledged.flat().length);
    });

    it(`GOV-17 a writer killed at any point, ${KILLS} times, loses no acknowledged entry and leaves no partial one`, async () => {
      const at = await place();
      const acknowledged: Acknowledged[] = [];
      for (let kill = 0; kill < KILLS; kill++) {
        acknowledged.push(...(await killAtRandom(startWriter(at, "forever", `k${kill}`))));
        expectWhole(await readAll((await open(at)).governance, 1_000), acknowledged);
      }
      expect(acknowledged.length).toBeGreaterThan(KILLS);
    });
  });
}

function startWriter(place: StorePlace, how: "open" | "once" | "forever", writer: string): ChildProcess {
  return spawn(process.execPath, [WRITER, JSON.stringify(place), how, writer], { stdio: ["ignore", "pipe", "pipe"] });
}

/** What it has acknowledged; only whole lines count. */
function listen(writer: ChildProcess): () => readonly Acknowledged[] {
  let said = "";
  writer.stdout?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  return () =>
    said
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Acknowledged);
}

async function finish(writer: ChildProcess): Promise<readonly Acknowledged[]> {
  const acknowledged = listen(writer);
  let complaint = "";
  writer.stderr?.on("data", (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  await once(writer, "close");
  expect(complaint).toBe("");
  return acknowledged();
}

async function killAtRandom(writer: ChildProcess): Promise<readonly Acknowledged[]> {
  const acknowledged = listen(writer);
  await Promise.race([once(writer.stdout ?? writer, "data"), once(writer, "close")]);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 50));
  writer.kill("SIGKILL");
  await once(writer, "close");
  return acknowledged();
}

function expectWhole(entries: readonly GovernanceEntry[], acknowledged: readonly Acknowledged[]): void {
  expect(verifyChain(entries)).toMatchObject({ kind: "whole" });
  for (const { seq, hash } of acknowledged.flat()) expect(entries[seq - 1]?.hash).toBe(hash);
  const parts = entries.map(({ body }) => body as Written);
  for (const [at, { writer, batch, part, of }] of parts.entries()) {
    const first = at - part + 1;
    expect(parts.slice(first, first + of)).toEqual(
      Array.from({ length: of }, (_, one) => ({ writer, batch, part: one + 1, of })),
    );
  }
}
