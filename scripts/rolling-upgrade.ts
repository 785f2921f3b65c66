import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { conductClient } from "../src/apps/gateway/client.ts";
import { findPostgres, startPostgres } from "../src/edge/stores/test/servers/postgres.ts";
import { freePort } from "../src/edge/stores/test/servers/server.ts";
import { startModelServer } from "../src/testing/test/model-server/index.ts";
import { startReplica } from "./cluster/replica.ts";

/**
 * Replaces two gateways of an older commit by this checkout's, one at a time, while people talk to both. Exits with 1 if
 * a message was lost, ran twice or ran out of order.
 */
const ROOT = join(import.meta.dirname, "..");
const TOKEN = "a-token-for-the-rolling-upgrade";
const PEOPLE = 12;
/** A page of turns shows them all. */
const MOST_SENT = 190;
const MIGRATIONS = "src/edge/stores/sql/migrations.ts";

const { values } = parseArgs({ options: { from: { type: "string" } } });
const programs = findPostgres();
if (programs === undefined) throw new Error("PostgreSQL is needed: apt-get install postgresql");
const git = (...words: string[]) => execFileSync("git", words, { cwd: ROOT, maxBuffer: 1 << 28 });
const folder = mkdtempSync(join(tmpdir(), "conduct-upgrade-"));
const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })];

/** The newest commit that does not know the newest migration. */
function olderCommit(): string {
  const names = [...readFileSync(join(ROOT, MIGRATIONS), "utf8").matchAll(/^ {4}"(\d{4}-[a-z-]+)"/gm)];
  const newest = names.at(-1)?.[1] ?? "";
  const added = git("log", "--format=%H", `-S"${newest}"`, "--", MIGRATIONS).toString().trim().split("\n").at(-1);
  if (!added) throw new Error(`git does not know when ${newest} was added. Name a commit: --from COMMIT`);
  return `${added}^`;
}

/** Builds a commit in a folder of its own, with the packages of this checkout. Returns its program. */
function build(commit: string): string {
  const place = join(folder, "old");
  mkdirSync(place);
  execFileSync("tar", ["x", "-C", place], { input: git("archive", commit) });
  symlinkSync(join(ROOT, "node_modules"), join(place, "node_modules"));
  const words = ["--disable-warning=ExperimentalWarning", "scripts/build.ts", "--no-types"];
  execFileSync(process.execPath, words, { cwd: place, stdio: ["ignore", "ignore", "inherit"] });
  return join(place, "dist/conduct.mjs");
}

async function upgrade(): Promise<readonly string[]> {
  const commit = git("rev-parse", values.from ?? olderCommit())
    .toString()
    .trim();
  console.log(`From ${commit.slice(0, 8)} to this checkout`);
  const [old, current] = [build(commit), join(ROOT, "dist/conduct.mjs")];
  const postgres = await startPostgres(programs ?? "");
  closing.push(() => postgres.stop());
  const asked = new Map<string, number>();
  const model = await startModelServer({
    script: ({ lastUserText }) => {
      const [text = ""] = lastUserText.split("\n");
      asked.set(text, (asked.get(text) ?? 0) + 1);
      return { text: `did ${text}` };
    },
  });
  closing.push(() => model.close());
  const env = {
    ...process.env,
    ...{ CONDUCT_STORE: await postgres.createDatabase(), CONDUCT_TOKEN: TOKEN, CONDUCT_DATA_KEY: "ef".repeat(32) },
    ...{ CONDUCT_REDIS_URL: "", MODEL_KEY: "a-key" },
  };
  const versions: string[] = [];
  /** One of the two gateways, each with its own home and port. */
  async function launch(at: number, port: number, program: string) {
    const home = join(folder, `home-${at}`);
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const models = `own/scripted: { baseUrl: "${model.openaiUrl}", api: openai-completions, key: MODEL_KEY }`;
    writeFileSync(join(home, "conduct.yaml"), `agents: { talker: { model: own/scripted } }\nmodels: { ${models} }\n`);
    const replica = startReplica({ name: `gateway ${at}`, home, port, env, program });
    closing.push(async () => {
      replica.signal("SIGKILL");
      await replica.ended;
    });
    await replica.ready();
    versions.push(program === old ? "old" : "new");
    return replica;
  }
  const ports = [await freePort(), await freePort()];
  const replicas = [await launch(0, ports[0] ?? 0, old), await launch(1, ports[1] ?? 0, old)];
  const faults: string[] = [];
  let isOver = false;

  /** Sends one message after another, each to the other gateway. A refused one is sent again with the same id. */
  async function talk(person: number): Promise<{ readonly session: string; readonly sent: readonly string[] }> {
    const sent: string[] = [];
    let to = person;
    async function send<T>(ask: (client: ReturnType<typeof conductClient>) => Promise<T>): Promise<T> {
      for (const until = performance.now() + 60_000; ; to++) {
        try {
          return await ask(conductClient({ url: replicas[to % 2]?.url ?? "", token: TOKEN }));
        } catch (error) {
          if (performance.now() > until) throw error;
          await sleep(100);
        }
      }
    }
    const { id } = await send((client) => client.call("POST /api/sessions", { body: { agent: "talker" } }));
    while (!isOver && sent.length < MOST_SENT) {
      const text = `message ${sent.length} of person ${person}`;
      const body = { text, messageId: `m-${person}-${sent.length}` };
      await send((client) => client.call("POST /api/sessions/{id}/messages", { params: { id }, body }));
      sent.push(text);
      to++;
      await sleep(300);
    }
    return { session: id, sent };
  }

  const talking = Promise.all(Array.from({ length: PEOPLE }, (_, person) => talk(person)));
  for (const [at, port] of ports.entries()) {
    await sleep(3_000);
    replicas[at]?.signal("SIGTERM");
    const code = await replicas[at]?.ended;
    if (code !== 0) faults.push(`gateway ${at} ended with ${code} after SIGTERM`);
    const next = await launch(at, port, current);
    replicas[at] = next;
    // For a while, the old version and the new one work side by side.
  }
  await sleep(3_000);
  isOver = true;
  const talked = await talking;
  const reader = conductClient({ url: replicas[0]?.url ?? "", token: TOKEN });
  let [turns, interrupted] = [0, 0];
  for (const { session, sent } of talked) {
    const read = async () => {
      const { turns } = await reader.call("GET /api/sessions/{id}", {
        params: { id: session },
        query: { limit: 200 },
      });
      return turns.toReversed();
    };
    let found = await read();
    for (
      let tries = 0;
      tries < 300 && found.some(({ status }) => status === "queued" || status === "running");
      tries++
    ) {
      await sleep(100);
      found = await read();
    }
    turns += found.length;
    const texts = found.map(({ text }) => text);
    if (JSON.stringify(texts) !== JSON.stringify(sent))
      faults.push(`${session}: sent ${sent.length}, found ${texts.length} turns or another order`);
    for (const { text, status, answer } of found) {
      if (status === "interrupted") interrupted += 1;
      else if (status !== "complete" || answer !== `did ${text}`) faults.push(`${session}: ${text}: ${status}`);
      if ((asked.get(text) ?? 0) > 1) faults.push(`${session}: ${text}: the model was asked ${asked.get(text)} times`);
    }
  }
  console.log(
    `Versions started: ${versions.join(", ")}. ${turns} turns of ${PEOPLE} people, ${interrupted} interrupted`,
  );
  return faults;
}

try {
  const faults = await upgrade();
  for (const fault of faults) console.log(fault);
  console.log(faults.length === 0 ? "Nothing was lost, repeated or reordered" : `${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  for (const close of closing.reverse()) await close();
}
