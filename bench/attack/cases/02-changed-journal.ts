import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { runInPty } from "../../../src/edge/host/switch/test/test-pty.ts";
import { sealEntries } from "../../../src/engine/journal/governance-chain.ts";
import type { Attack, AttackCase, AttackOutcome } from "../attack.ts";
import { PROGRAM } from "../program.ts";
import type { AttackWorld } from "../world.ts";

/** Changes the stored journal while nothing runs. */
type Tampering = { readonly name: string; change(world: AttackWorld): void };

const TAMPERINGS: readonly Tampering[] = [
  {
    name: "Change the tool that a rule names",
    change: sql("update conduct_governance set body = replace(body, 'on: build', 'on: other') where seq = 1"),
  },
  {
    name: "Change `rule-enforced` to `rule-shadowed`",
    change: sql("update conduct_governance set kind = 'rule-shadowed' where kind = 'rule-enforced'"),
  },
  { name: "Make an entry unreadable", change: sql("update conduct_governance set body = '{' where seq = 2") },
  {
    name: "Delete the last entry",
    change: sql("delete from conduct_governance where seq = (select max(seq) from conduct_governance)"),
  },
  { name: "Delete all entries", change: sql("delete from conduct_governance") },
  { name: "Drop the table", change: sql("drop table conduct_governance") },
  { name: "Rewrite the journal with hashes that fit", change: rewrite },
  {
    name: "Delete the database",
    change: ({ home }) =>
      ["", "-wal", "-shm"].forEach((end) => void rmSync(join(home, `conduct.db${end}`), { force: true })),
  },
  {
    name: "Write nonsense over the stored heads",
    change: ({ home }) => writeFileSync(join(home, "conduct.db.heads"), "nonsense\n"),
  },
];

/** Rules that deny two calls are enforced, and the journal file is then changed. */
export const attack: Attack = {
  id: "02-changed-journal",
  title: "Somebody changes the governance journal in the database file",
  cases: [...TAMPERINGS.map(tamperingCase), repairCase(), shadowCase()],
};

function tamperingCase({ name, change }: Tampering): AttackCase {
  return {
    name,
    async run(world) {
      await enforceRules(world);
      change(world);
      const gateway = await throughGateway(world);
      const hook = await throughHook(world, "attack");
      const told = await world.conduct(["status"]);
      const doctor = await world.conduct(["doctor"]);
      return outcome({
        "the gateway ran the call": gateway.built,
        "health says ok": gateway.health === "ok",
        "the start does not mention it": !gateway.output.includes("journal repair"),
        "the rule list looks empty": gateway.rules === "empty",
        "the hook let the call pass": !isDenied(hook),
        "status does not mention it": !told.out.includes("journal repair"),
        "doctor does not mention it": !`${doctor.out}${doctor.err}`.includes("journal repair"),
      });
    },
  };
}

function repairCase(): AttackCase {
  return {
    name: "Repair the journal from inside an agent, then as a person, and use it again",
    async run(world) {
      await enforceRules(world);
      sql("update conduct_governance set at = at + 1 where seq = (select max(seq) from conduct_governance)")(world);
      const inside = await world.conduct(["journal", "repair", "--yes"], { env: { CLAUDECODE: "1" } });
      const unasked = await world.conduct(["journal", "repair", "--accept", "all", "--yes"]);
      const repair = [process.execPath, PROGRAM, "journal", "repair", "--accept", "all", "--yes"];
      const repaired = await runInPty("xterm", repair, world.env);
      const gateway = await throughGateway(world);
      return outcome({
        "an agent could repair it": inside.code === 0,
        "it was repaired without a person": unasked.code === 0,
        "a person could not repair it": repaired.code !== 0,
        "the evidence is gone": evidence(world) === 0,
        "the rule is not enforced after the repair":
          gateway.built || gateway.health !== "ok" || gateway.rules !== "listed",
      });
    },
  };
}

function shadowCase(): AttackCase {
  return {
    name: "A runtime that is only watched is not blocked by a damaged journal",
    async run(world) {
      await enforceRules(world);
      const codex = { enforcement: "shadow", operator: false, since: new Date().toISOString() };
      writeFileSync(join(world.home, "runtimes.json"), JSON.stringify({ codex }), { mode: 0o600 });
      sql("delete from conduct_governance")(world);
      return outcome({ "the call was blocked": isDenied(await throughHook(world, "watched")) });
    },
  };
}

async function enforceRules(world: AttackWorld): Promise<void> {
  for (const tool of ["build", "shell"]) {
    const file = join(world.root, `${tool}.yaml`);
    writeFileSync(file, `rules:\n  - { id: no-${tool}, on: ${tool}, say: Nobody may do this. }\n`);
    for (const args of [
      ["rules", "add", "--file", file, "--yes"],
      ["rules", "enforce", `no-${tool}`],
    ]) {
      const { code, err } = await world.conduct(args);
      if (code !== 0) throw new Error(`conduct ${args.join(" ")}: ${err}`);
    }
  }
}

/** Asks the demo agent for the denied call, as an operator. */
async function throughGateway(world: AttackWorld) {
  const gateway = await world.gateway();
  const client = gateway.client();
  const { id } = await client.call("POST /api/sessions", { body: { agent: "demo" } });
  await client.call("POST /api/sessions/{id}/messages", {
    params: { id },
    query: { wait: "true" },
    body: { text: "build" },
  });
  const { events } = await client.call("GET /api/sessions/{id}/events", { params: { id } });
  const built = events.some((event) => event.type === "result" && event.outcome === "ok");
  const { status } = (await (await fetch(`${gateway.url}/api/health`)).json()) as { readonly status: string };
  const listed = await client.call("GET /api/rules/standing", {}).then(
    ({ rules }) => rules.length,
    () => -1,
  );
  const found = { built, health: status, rules: listed === 0 ? "empty" : "listed", output: gateway.output() };
  await gateway.stop();
  return found;
}

/** Sends a call as Codex's hook reports it, and returns the daemon's answer. */
async function throughHook(world: AttackWorld, session: string): Promise<string> {
  const event = {
    ...{ session_id: session, turn_id: "t", cwd: world.user, hook_event_name: "PreToolUse", model: "gpt-5.5" },
    ...{
      permission_mode: "bypassPermissions",
      tool_name: "Bash",
      tool_input: { command: "echo hi" },
      tool_use_id: "c",
    },
  };
  world.onClose(() => world.conduct(["daemon", "stop"]));
  const child = spawn(process.execPath, [PROGRAM, "hook", "codex"], {
    cwd: world.user,
    env: world.env,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let out = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      out += chunk.toString();
    });
  child.stdin.end(JSON.stringify(event));
  const [code] = (await once(child, "close")) as [number | null];
  return `${code} ${out}`;
}

/** The hook either denies or exits with 2. Both prevent Codex from running the call. */
function isDenied(answer: string): boolean {
  return answer.startsWith("2 ") || answer.includes('"deny"');
}

function sql(statement: string): Tampering["change"] {
  return ({ home }) => {
    const database = new DatabaseSync(join(home, "conduct.db"), { timeout: 10_000 });
    database.exec(statement);
    database.close();
  };
}

/** Removes the rules and recomputes every hash, like an attacker who knows the hash chain. */
function rewrite({ home }: AttackWorld): void {
  const database = new DatabaseSync(join(home, "conduct.db"), { timeout: 10_000 });
  const count = Number(database.prepare("select count(*) as n from conduct_governance").get()?.n);
  const drafts = Array.from({ length: count }, () => ({ at: 1, by: "nobody", kind: "review.none", body: {} }));
  database.exec("delete from conduct_governance");
  const insert = database.prepare(
    "insert into conduct_governance (seq, at, by, kind, body, prev, hash) values (?, ?, ?, ?, ?, ?, ?)",
  );
  for (const { seq, at, by, kind, body, prev, hash } of sealEntries({ seq: 0, hash: "" }, drafts))
    insert.run(seq, at, by, kind, JSON.stringify(body), prev, hash);
  database.close();
}

function evidence({ home }: AttackWorld): number {
  const database = new DatabaseSync(join(home, "conduct.db"), { readOnly: true });
  const count = Number(database.prepare("select count(*) as n from conduct_governance_damaged").get()?.n);
  database.close();
  return count;
}

/** Counts one attempt for each thing that could go wrong. */
function outcome(wrong: { readonly [what: string]: boolean }): AttackOutcome {
  const through = Object.entries(wrong).flatMap(([what, so]) => (so ? [what] : []));
  const tried = Object.keys(wrong).length;
  const note = through.length === 0 ? "Every call was decided as it should be." : `Went wrong: ${through.join("; ")}.`;
  return { tried, held: tried - through.length, note };
}
