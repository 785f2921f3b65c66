import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Attack, AttackCase, AttackOutcome } from "../attack.ts";
import { PROGRAM } from "../program.ts";
import type { AttackWorld, RunningGateway } from "../world.ts";

/** Damages the stored state of every session while nothing runs. */
type Damage = { readonly name: string; readonly statement: string };

const DAMAGES: readonly Damage[] = [
  {
    name: "Cut the state off in the middle",
    statement: "update conduct_kept_sessions set snapshot = substr(snapshot, 1, length(snapshot) / 2)",
  },
  {
    name: "Change one character of the state",
    statement: `update conduct_kept_sessions set snapshot = substr(snapshot, 1, 60) ||
      case substr(snapshot, 61, 1) when 'A' then 'B' else 'A' end || substr(snapshot, 62)`,
  },
  {
    name: "Make it a state of a newer version",
    statement: `update conduct_kept_sessions set snapshot = '{"v":99}'`,
  },
  {
    name: "Write nonsense beside the state",
    statement: "update conduct_kept_sessions set beside = '{', snapshot = 'nonsense'",
  },
  { name: "Lose the changes since the snapshot", statement: "update conduct_kept_sessions set changes = 3" },
];

/** A session with a damaged state continues with safe defaults. */
export const attack: Attack = {
  id: "11-damaged-state",
  title: "The stored state of a session is damaged",
  cases: [...DAMAGES.map(damageCase), rowsCase(), hookCase()],
};

function damageCase({ name, statement }: Damage): AttackCase {
  return {
    name,
    async run(world) {
      await limitBuilds(world);
      const first = await world.gateway();
      const id = await begin(first);
      await say(first, id, "/elevated on");
      await say(first, id, "build");
      await first.stop();
      execute(world, statement);
      const second = await world.gateway();
      const answers = [await say(second, id, "/modes"), await say(second, id, "build"), await say(second, id, "hello")];
      const { events } = await second.client().call("GET /api/sessions/{id}/events", { params: { id } });
      const built = events.filter((event) => event.type === "result" && event.outcome === "ok").length;
      const noted = answers.filter((answer) => answer.includes("was damaged and has been set aside")).length;
      const output = second.output();
      await second.stop();
      return outcome({
        "a message was not answered": answers.some((answer) => answer.startsWith("failed")),
        "elevated mode is on": /elevated: on|elevated on/.test(answers[0] ?? ""),
        "the limit of one build was forgotten": built !== 1,
        "the person was not told exactly once": noted !== 1,
        "the operator was not told":
          !output.includes("state was damaged and set aside") || !events.some((event) => event.type === "fault"),
        "the evidence is gone": evidence(world) === 0,
      });
    },
  };
}

function rowsCase(): AttackCase {
  return {
    name: "Damage one turn, one transcript entry and one conversation",
    async run(world) {
      const first = await world.gateway();
      const [id, other] = [await begin(first), await begin(first)];
      for (const one of [id, other]) await say(first, one, "hello");
      const lost = await begin(first);
      await first.stop();
      const database = new DatabaseSync(join(world.home, "conduct.db"), { timeout: 10_000 });
      const row = (table: string, column: string, of: string) => {
        const one = `select rowid from ${table} where conversation like ? limit 1`;
        const { changes } = database
          .prepare(`update ${table} set ${column} = '{' where rowid = (${one})`)
          .run(`%${of}%`);
        if (changes !== 1) throw new Error(`no row of ${table} was damaged`);
      };
      row("conduct_turns", "body", id);
      row("conduct_transcripts", "entry", id);
      row("conduct_conversations", "body", lost);
      database.close();
      const second = await world.gateway();
      const list = await second
        .client()
        .call("GET /api/sessions", {})
        .then(
          ({ sessions }) => sessions.length,
          () => -1,
        );
      const shown = await second
        .client()
        .call("GET /api/sessions/{id}", { params: { id } })
        .then(
          ({ turns }) => turns.length,
          () => -1,
        );
      const answers = [await say(second, id, "hello"), await say(second, other, "hello")];
      await second.stop();
      return outcome({
        "the list of conversations fails": list < 2,
        "the conversation cannot be shown": shown < 1,
        "a message was not answered": answers.some((answer) => answer.startsWith("failed")),
      });
    },
  };
}

function hookCase(): AttackCase {
  return {
    name: "Damage the state of a coding runtime's session between two calls",
    async run(world) {
      const before = await hook(world, "c1");
      await world.conduct(["daemon", "stop"]);
      execute(world, "update conduct_kept_sessions set snapshot = 'nonsense'");
      const after = [await hook(world, "c2"), await hook(world, "c3")];
      return outcome({
        "the first call failed": !before.startsWith("0 "),
        "a call fails for ever": after.some((answer) => !answer.startsWith("0 ")),
        "the evidence is gone": evidence(world) === 0,
      });
    },
  };
}

async function limitBuilds(world: AttackWorld): Promise<void> {
  const file = join(world.root, "once.yaml");
  writeFileSync(file, "rules:\n  - { id: build-once, on: build, atMost: { count: 1 } }\n");
  for (const args of [
    ["rules", "add", "--file", file, "--yes"],
    ["rules", "enforce", "build-once"],
  ]) {
    const { code, err } = await world.conduct(args);
    if (code !== 0) throw new Error(`conduct ${args.join(" ")}: ${err}`);
  }
}

async function begin(gateway: RunningGateway): Promise<string> {
  return (await gateway.client().call("POST /api/sessions", { body: { agent: "demo" } })).id;
}

/** Returns the status and the answer; `failed` if the gateway rejected the message. */
async function say(gateway: RunningGateway, id: string, text: string): Promise<string> {
  return gateway
    .client()
    .call("POST /api/sessions/{id}/messages", { params: { id }, query: { wait: "true" }, body: { text } })
    .then(
      ({ status, answer }) => `${status} ${answer}`,
      (error: unknown) => `failed ${String(error)}`,
    );
}

async function hook(world: AttackWorld, call: string): Promise<string> {
  const event = {
    ...{ session_id: "attack", turn_id: "t", cwd: world.user, hook_event_name: "PreToolUse", model: "gpt-5.5" },
    ...{ permission_mode: "default", tool_name: "Bash", tool_input: { command: "echo hi" }, tool_use_id: call },
  };
  world.onClose(() => world.conduct(["daemon", "stop"]));
  const stdio: ["pipe", "pipe", "pipe"] = ["pipe", "pipe", "pipe"];
  const child = spawn(process.execPath, [PROGRAM, "hook", "codex"], {
    cwd: world.user,
    env: world.env,
    stdio,
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

function execute({ home }: AttackWorld, statement: string): void {
  const database = new DatabaseSync(join(home, "conduct.db"), { timeout: 10_000 });
  database.exec(statement);
  database.close();
}

function evidence({ home }: AttackWorld): number {
  const database = new DatabaseSync(join(home, "conduct.db"), { readOnly: true });
  const count = Number(database.prepare("select count(*) as n from conduct_damaged_sessions").get()?.n);
  database.close();
  return count;
}

/** Counts one attempt for each thing that could go wrong. */
function outcome(wrong: { readonly [what: string]: boolean }): AttackOutcome {
  const through = Object.entries(wrong).flatMap(([what, so]) => (so ? [what] : []));
  const tried = Object.keys(wrong).length;
  const note = through.length === 0 ? "The session went on with safe defaults." : `Went wrong: ${through.join("; ")}.`;
  return { tried, held: tried - through.length, note };
}
