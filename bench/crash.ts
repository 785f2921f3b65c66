import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { GovernanceEntry } from "../src/base/ports/stores/governance.ts";
import type { ContractEvent } from "../src/base/words/contract.ts";
import { contractAt } from "../src/behavior/contract/active-contract.ts";
import { readEntry } from "../src/behavior/contract/journal-entry.ts";
import type { StorePlace } from "../src/edge/stores/sql/open-database.ts";
import { openSqlStore } from "../src/edge/stores/sql/open-sql-store.ts";
import { findPostgres, startPostgres } from "../src/edge/stores/test/servers/postgres.ts";
import { verifyChain } from "../src/engine/journal/governance-chain.ts";
import { progress } from "./report.ts";

type Acknowledged = { readonly version: number; readonly hash: string };

const WRITER = fileURLToPath(new URL("./crash-writer.ts", import.meta.url));

/**
 * `npm run bench:crash [-- --kills N]`: kills a writer of the contract at random points, 200 times each on SQLite and
 * PostgreSQL. Exits with 1 if an acknowledged change is lost or altered, or if the hash chain is broken.
 */
async function main(args: readonly string[]): Promise<void> {
  const at = args.indexOf("--kills");
  const kills = at < 0 ? 200 : Number(args[at + 1]);
  if (!Number.isSafeInteger(kills) || kills < 1) throw new Error("--kills needs a whole number above 0");
  const root = mkdtempSync(join(tmpdir(), "conduct-crash-"));
  try {
    await torture("sqlite", { kind: "sqlite", file: join(root, "home", "conduct.db") }, kills);
    const programs = findPostgres();
    if (programs === undefined) {
      console.log("postgres: NOT TESTED, because initdb and postgres are not installed");
      return;
    }
    const server = await startPostgres(programs, { durable: true });
    try {
      await torture("postgres", { kind: "postgres", url: await server.createDatabase() }, kills);
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function torture(name: string, place: StorePlace, kills: number): Promise<void> {
  const tick = progress(`${name}: writers killed`);
  const acknowledged: Acknowledged[] = [];
  for (let kill = 1; kill <= kills; kill++) {
    acknowledged.push(...(await killedWriter(place, `w${kill}`)));
    if (kill % 10 === 0 || kill === kills) await check(place, acknowledged, `${name}, after kill ${kill}`);
    tick(kill, kills);
  }
  console.log(
    `${name}: ${kills} writers killed, ${acknowledged.length} acknowledged changes, all there, the chain is whole`,
  );
}

async function killedWriter(place: StorePlace, name: string): Promise<readonly Acknowledged[]> {
  const writer = spawn(process.execPath, [WRITER, JSON.stringify(place), name], { stdio: ["ignore", "pipe", "pipe"] });
  let [said, complaint] = ["", ""];
  writer.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  writer.stderr.on("data", (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  await Promise.race([once(writer.stdout, "data"), once(writer, "close")]);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
  writer.kill("SIGKILL");
  await once(writer, "close");
  if (complaint !== "") throw new Error(`writer ${name}: ${complaint}`);
  const lines = said.split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Acknowledged);
}

async function check(place: StorePlace, acknowledged: readonly Acknowledged[], when: string): Promise<void> {
  const store = await openSqlStore(place);
  try {
    const entries = await readAll(store.governance);
    const chain = verifyChain(entries);
    if (chain.kind !== "whole") throw new Error(`${when}: the chain is broken at ${chain.seq} (${chain.fault})`);
    const events = entries.map(eventOf);
    for (const { version, hash } of acknowledged.slice(-200)) {
      const then = contractAt(events, { seq: version }, {});
      if (then.version !== version || then.hash !== hash) {
        throw new Error(`${when}: acknowledged v${version} ${hash}, found v${then.version} ${then.hash}`);
      }
    }
  } finally {
    await store.close();
  }
}

async function readAll(journal: Awaited<ReturnType<typeof openSqlStore>>["governance"]): Promise<GovernanceEntry[]> {
  const entries: GovernanceEntry[] = [];
  for (let from: number | undefined = 1; from !== undefined; ) {
    const page: Awaited<ReturnType<typeof journal.read>> = await journal.read({ from, limit: 1_000 });
    entries.push(...page.entries);
    from = page.next;
  }
  return entries;
}

function eventOf(entry: GovernanceEntry): ContractEvent {
  const event = readEntry(entry);
  if (event === undefined || "fault" in event) throw new Error(`entry ${entry.seq} cannot be read`);
  return event;
}

await main(process.argv.slice(2));
