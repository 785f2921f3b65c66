import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { collector } from "./collector.ts";
import { type Gateway, Machine, PROGRAM } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
let gateway: Gateway;

const CONFIG = (url: string, rules = "") => `
agents:
  clerk: { model: own/scripted, soul: You are the clerk., tools: [{ name: shell, args: [command] }]${rules} }
models: { own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY } }
`;

const run = async (line: string, ...words: readonly string[]) => {
  const { out, err } = await machine.conduct([...line.split(" "), ...words]);
  return `${out}${err}`;
};

beforeAll(async () => {
  const model = await machine.model();
  machine.write({
    ".conduct/conduct.yaml": CONFIG(model.openaiUrl),
    "work/strict.yaml": CONFIG(model.openaiUrl, ', actions: { speak: { tool: shell, command: "echo *" } }'),
    "work/rules.yaml": "rules: [{ id: no-speech, on: speak, say: Be silent. }]\n",
    "work/odd.yaml":
      "agents: { odd: { promptContributors: [{ id: pages, content: Call the pager., tags: [{ dimension: channel, value: nowhere }] }] } }\n",
  });
  gateway = await machine.gateway();
  await gateway.play(model, "clerk", [["shell", { command: "echo 1" }]]);
  await run("behavior add", "STOP: long reports");
  await gateway.close();
});
afterAll(() => machine.close());

describe("options of commands on prompts and on what is recorded", () => {
  wired(
    ["conduct prompt preview --user", "conduct prompt preview --think"],
    "WIR-480 a preview is for the named user, and with /think",
    async () => {
      await run("behavior add", "STOP: tales about ann", "--scope", "user:ann");
      const preview = (...words: readonly string[]) => run("prompt preview", "--agent", "clerk", ...words);
      expect(await preview("--user", "ann")).toContain("tales about ann");
      expect(await preview("--user", "bob")).not.toContain("tales about ann");
      const sections = (text: string) => /left out[\s\S]*/.exec(text)?.[0] ?? "";
      const [plain, thinking] = [await preview(), await preview("--think")];
      expect(sections(plain)).toContain("reasoning");
      expect(sections(thinking)).not.toContain("reasoning");
    },
  );
  wired("conduct prompt lint --config", "WIR-481 lint checks the named file", async () => {
    const odd = await run("prompt lint", "--config", "odd.yaml");
    expect(odd).toContain("nowhere");
    expect(await run("prompt lint")).not.toContain("nowhere");
  });
  wired(
    ["conduct replay --config", "conduct replay --since", "conduct replay --contract"],
    "WIR-482 a replay uses the named file or contract, and goes back as far as asked",
    async () => {
      const replay = (...words: readonly string[]) => run("replay", "--rules", "rules.yaml", ...words);
      expect(await replay()).toContain("1 call · 0 would change");
      expect(await replay("--config", "strict.yaml")).toContain("1 call · 1 would change");
      expect(await replay("--config", "strict.yaml", "--since", "1s")).not.toContain("1 would change");
      expect(await run("replay", "--contract", "1")).toContain("long reports");
    },
  );
  wired("conduct journal verify --head", "WIR-483 a stored head shows that nothing before it is missing", async () => {
    const { result } = JSON.parse(await run("journal verify", "--json"));
    const { seq, hash } = result.head ?? result;
    const verify = async (head: string) => (await machine.conduct(["journal", "verify", "--head", head])).code;
    expect(await verify(`${seq}:${hash}`)).toBe(0);
    expect(await verify(`${seq}:${"0".repeat(hash.length)}`)).toBe(1);
  });
  wired(
    ["conduct journal repair --accept", "conduct journal repair --dry-run", "conduct journal repair --yes"],
    "WIR-484 a person repairs a damaged journal, accepting the entries that are named; a dry run repairs nothing",
    async () => {
      const used = new Machine();
      machine.onClose(() => used.close());
      const add = (text: string) => used.conduct(["behavior", "add", text]);
      for (const text of ["STOP: first things", "STOP: second things"]) await add(text);
      const db = new DatabaseSync(join(used.home, "conduct.db"));
      db.exec("update conduct_governance set body = replace(body, 'second', 'better') where seq = 2");
      db.close();
      const verify = async () => (await used.conduct(["journal", "verify"])).code;
      expect(await verify()).toBe(1);
      await used.atTerminal(["journal", "repair", "--dry-run", "--accept", "2"]);
      await used.conduct(["journal", "repair", "--accept", "2"]);
      expect(await verify()).toBe(1);
      await used.atTerminal(["journal", "repair", "--yes", "--accept", "2"]);
      expect(await verify()).toBe(0);
      expect((await used.conduct(["behavior", "list"])).out).toContain("better things");
    },
  );
  wired("conduct daemon run --idle", "WIR-485 the daemon ends after its idle time", async () => {
    const words = [PROGRAM, "daemon", "run", "--idle", "1s"];
    const child = spawn(process.execPath, words, { env: machine.env, cwd: machine.work, stdio: "ignore" });
    machine.onClose(() => child.kill("SIGKILL"));
    expect(await once(child, "close")).toEqual([0, null]);
  });
  wired("CONDUCT_HOOK_MS", "WIR-486 a hook of Codex waits so long for the daemon, then blocks the call", async () => {
    const event = {
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "ls" },
      tool_use_id: "c1",
    };
    const input = JSON.stringify({ session_id: "codex-1", turn_id: "t1", cwd: machine.work, ...event });
    machine.onClose(() => machine.conduct(["daemon", "stop"]));
    const { code, err } = await machine.conduct(["hook", "codex"], { input, env: { CONDUCT_HOOK_MS: "1" } });
    expect([code, err]).toEqual([2, expect.stringContaining("the call is blocked")]);
    expect((await machine.conduct(["hook", "codex"], { input })).code).toBe(0);
  });
  wired("OTEL_EXPORTER_OTLP_PROTOCOL", "WIR-487 telemetry is sent only in a protocol that Conduct speaks", async () => {
    const used = new Machine();
    machine.onClose(() => used.close());
    const { url, received } = await collector(used);
    const turn = async (protocol: string) => {
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: protocol };
      const running = await used.gateway([], env);
      await running.say("demo", "hello");
      return running;
    };
    const silent = await turn("grpc");
    await setTimeout(1_500);
    expect(received).toEqual([]);
    await silent.close();
    await turn("http/json");
    await expect.poll(() => received.length).toBeGreaterThan(0);
  });
  wired(
    "OTEL_EXPORTER_OTLP_TIMEOUT",
    "WIR-488 a collector that does not answer is given up after the timeout",
    async () => {
      const used = new Machine();
      machine.onClose(() => used.close());
      let aborted = 0;
      const silent = createServer((request) => void request.socket.on("close", () => (aborted += 1)));
      await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
      machine.onClose(() => {
        silent.closeAllConnections();
        silent.close();
      });
      const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_TIMEOUT: "300" };
      const running = await used.gateway([], env);
      await running.say("demo", "hello");
      // The default is ten seconds.
      await expect.poll(() => aborted, { timeout: 8_000 }).toBeGreaterThan(0);
    },
  );
});
