import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { findInFiles, NEEDLES, SECRET_TEXT } from "../../../src/edge/stores/seal/test/secrets.ts";
import { startModelServer } from "../../../src/testing/test/model-server/index.ts";
import type { Attack, AttackOutcome } from "../attack.ts";
import { PROGRAM } from "../program.ts";
import type { AttackWorld, RunningGateway } from "../world.ts";

const configOf = (url: string) => `
agents:
  clerk:
    model: own/scripted
    tools: [{ name: read_file, args: [path] }]
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
`;
const KEY = { SCRIPTED_KEY: "none" };

/** Starts a gateway on which the operator has mentioned secrets. A repeated write is answered from the store. */
async function talk(world: AttackWorld, said = SECRET_TEXT): Promise<RunningGateway> {
  const server = await startModelServer({ script: [] });
  world.onClose(() => server.close());
  const gateway = await world.gateway({ config: configOf(server.openaiUrl), env: KEY });
  const client = gateway.client();
  server.setScript([{ text: `I have used ${said}` }]);
  const { id } = await client.call("POST /api/sessions", { body: { agent: "clerk" } });
  const message = { params: { id }, query: { wait: "true" as const }, body: { text: said } };
  for (const _ of ["first", "again"]) {
    const turn = await client.call("POST /api/sessions/{id}/messages", message, { idempotencyKey: "once" });
    if (turn.answer?.includes(said) !== true) throw new Error(`the agent answered ${turn.status} ${turn.why ?? ""}`);
  }
  await client.call("PATCH /api/instructions", { query: { agent: "clerk" }, body: { after: 0, add: [said] } });
  const schedule = { agent: "clerk", cron: "0 0 1 1 *", zone: "UTC", say: said };
  await client.call("POST /api/schedules", { body: schedule });
  return gateway;
}

function searched(folder: string): AttackOutcome {
  const found = findInFiles(folder);
  const held = NEEDLES.filter((needle) => !found.some((one) => one.endsWith(needle))).length;
  const files = [...new Set(found.map((one) => one.slice(folder.length + 1).split(":")[0]))];
  const note = found.length === 0 ? "None was found in any file." : `Found in ${files.join(", ")}.`;
  return { tried: NEEDLES.length, held, note };
}

/** An attacker has a copy of the data, such as a backup, but not the key. */
export const attack: Attack = {
  id: "16-secrets-at-rest",
  title: "Somebody reads a copy of CONDUCT_HOME",
  cases: [
    {
      name: "Search every file for an API key, a password and a private key that a gateway conversation held",
      async run(world) {
        const gateway = await talk(world);
        await gateway.kill();
        return searched(world.home);
      },
    },
    {
      name: "Search every file for those that a coding agent's calls held, as its hooks reported them",
      async run(world) {
        const call = { session_id: "s", cwd: world.user, tool_use_id: "c1", tool_name: "Bash" };
        const input = { tool_input: { command: `echo '${SECRET_TEXT}'` } };
        await hook(world, { ...call, hook_event_name: "UserPromptSubmit", prompt: SECRET_TEXT });
        await hook(world, { ...call, ...input, hook_event_name: "PreToolUse" });
        await hook(world, { ...call, ...input, hook_event_name: "PostToolUse", tool_response: SECRET_TEXT });
        await world.conduct(["daemon", "stop"]);
        return searched(world.home);
      },
    },
    {
      name: "Start a gateway on a copy of the data, without the key",
      async run(world) {
        await (await talk(world)).stop();
        const [copy, keys] = [join(world.root, "copy"), join(world.root, "no-keys")];
        cpSync(world.home, copy, { recursive: true });
        mkdirSync(keys);
        const env = { ...KEY, CONDUCT_HOME: copy, CONDUCT_KEYS: keys, CONDUCT_TOKEN: "" };
        const started = await world.gateway({ env }).then(
          () => "started",
          (error: unknown) => String(error),
        );
        const held = /key of the store .* is missing/.test(started) ? 1 : 0;
        return { tried: 1, held, note: held === 1 ? "It did not start, and named the key that is missing." : started };
      },
    },
    {
      name: "Put another conversation's transcript, turn and state in place of one's own, in the database",
      async run(world) {
        const gateway = await talk(world);
        const token = await gateway.token("user", "mallory");
        const mine = await gateway.client(token).call("POST /api/sessions", { body: { agent: "clerk" } });
        await gateway.stop();
        const tables = swapped(join(world.home, "conduct.db"), mine.id);
        const again = await world.gateway({ env: KEY });
        const params = { id: mine.id };
        const shown = await again
          .client(token)
          .call("GET /api/sessions/{id}", { params })
          .then(JSON.stringify, (error: unknown) => String(error));
        const held = NEEDLES.some((needle) => shown.includes(needle)) ? 0 : tables;
        return { tried: tables, held, note: held === tables ? "Rows of others do not open." : "They were shown." };
      },
    },
  ],
};

/** Copies the values of the operator's rows into the attacker's own rows. Returns the number of tables. */
function swapped(file: string, own: string): number {
  if (!existsSync(file)) throw new Error(`there is no ${file}`);
  const database = new DatabaseSync(file);
  const copies = [
    `insert into conduct_transcripts select '${own}', seq, entry from conduct_transcripts`,
    `insert into conduct_turns select turn || 'x', '${own}', null, open, at, body from conduct_turns`,
    `insert or replace into conduct_kept_sessions select '${own}', version, at, snapshot, beside, null, 0, changes
       from conduct_kept_sessions where snapshot <> '' limit 1`,
  ];
  for (const copy of copies) database.exec(copy);
  database.close();
  return copies.length;
}

/** Runs `conduct hook codex` like Codex. */
async function hook(world: AttackWorld, event: object): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, "hook", "codex"], { cwd: world.user, env: world.env });
  child.stdout.resume();
  child.stderr.resume();
  child.stdin.end(JSON.stringify(event));
  await once(child, "close");
}
