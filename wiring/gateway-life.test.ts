import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect } from "vitest";
import { Gateway, Machine, PROGRAM } from "./shipped.ts";
import { wired } from "./wired.ts";

const machines: Machine[] = [];
afterEach(async () => {
  for (const machine of machines.splice(0)) await machine.close();
});

function newMachine(): Machine {
  const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
  machines.push(machine);
  return machine;
}

const CONFIG = `
agents:
  clerk: { model: own/scripted }
models:
  own/scripted: { baseUrl: "http://127.0.0.1:1", api: openai-completions, key: SCRIPTED_KEY }
`;
const RUNNING = ".conduct/run/gateway.json";

/** Starts the gateway as a person does, without --json. */
function startForPerson(machine: Machine, ...words: readonly string[]) {
  const child = spawn(process.execPath, [PROGRAM, "gateway", "--port", "0", ...words], {
    cwd: machine.work,
    env: machine.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const gateway = new Gateway(child, "");
  machine.onClose(() => gateway.close());
  const ended = once(child, "close") as Promise<[number | null]>;
  return { child, gateway, ended };
}

describe("start and stop of the gateway", () => {
  wired(
    "conduct gateway --config",
    "WIR-610 a person sees the file, the agents and the model; the running gateway is on record until it is stopped",
    async () => {
      const machine = newMachine();
      machine.write({ "work/elsewhere.yaml": CONFIG });
      const { child, gateway, ended } = startForPerson(machine, "--config", "elsewhere.yaml");
      await gateway.line("Ctrl-C");
      for (const part of ["elsewhere.yaml", "clerk", "own/scripted", "/login#code="])
        expect(gateway.output).toContain(part);
      const [, url = ""] = /(http:\/\/127\.0\.0\.1:\d+)\/login/.exec(gateway.output) ?? [];
      expect(JSON.parse(machine.read(RUNNING))).toMatchObject({ pid: child.pid, local: url, url });
      expect((await fetch(`${url}/telegram/webhook`, { method: "POST" })).status).toBe(404);
      child.kill("SIGTERM");
      expect((await ended)[0]).toBe(0);
      expect(gateway.output).toContain("stopping: running turns finish first");
      expect(gateway.output).not.toContain("did not close within");
      expect(machine.read(RUNNING)).toBe("");
    },
  );

  wired(
    "CONDUCT_HOME",
    "WIR-611 the started event names the file, the store, the agents, the contract, the sandbox and the recovered work",
    async () => {
      const machine = newMachine();
      machine.write({ ".conduct/conduct.yaml": CONFIG });
      await machine.conduct(["behavior", "add", "STOP: long reports"]);
      const started = async () => {
        const gateway = await machine.gateway();
        return { gateway, facts: JSON.parse(await gateway.line('"event":"started"')) as object };
      };
      const first = await started();
      expect(first.facts).toEqual({
        event: "started",
        url: first.gateway.url,
        login: expect.stringContaining(`${first.gateway.url}/login#code=`),
        config: expect.stringContaining(".conduct/conduct.yaml"),
        store: expect.stringContaining(machine.home),
        agents: [{ name: "clerk", model: "own/scripted" }],
        contract: { version: 1, directives: 1 },
        sandbox: expect.any(String),
        mcp: [],
        governance: { ok: true },
        recovered: { interrupted: 0, requeued: 0 },
      });
      // A gateway that was stopped leaves neither a lock nor open work to the next one.
      await first.gateway.stop();
      const second = await started();
      expect(second.facts).toMatchObject({ recovered: { interrupted: 0, requeued: 0 } });
      expect(second.gateway.output).not.toContain("conduct:");
    },
  );

  wired("plugins", "WIR-612 a gateway that is stopped during its start says so, and ends", async () => {
    const machine = newMachine();
    machine.write({
      ".conduct/conduct.yaml": `plugins: [./slow.mjs]\n${CONFIG}`,
      ".conduct/slow.mjs": `import { writeFileSync } from "node:fs";
writeFileSync(new URL("./loading", import.meta.url), "yes");
await new Promise((resolve) => setTimeout(resolve, 3_000));
writeFileSync(new URL("./loaded", import.meta.url), "yes");
export default { name: "slow", setup() {} };`,
    });
    const { child, gateway, ended } = startForPerson(machine);
    await expect.poll(() => machine.read(".conduct/loading")).toBe("yes");
    child.kill("SIGTERM");
    expect((await ended)[0]).toBe(0);
    expect(gateway.output).toContain("stopping before the start has finished");
    expect(gateway.output).not.toContain("Ctrl-C");
    expect(machine.read(RUNNING)).toBe("");
    // What the start had begun came to its end, and the start did not go on.
    expect(machine.read(".conduct/loaded")).toBe("yes");
    expect(existsSync(join(machine.home, "conduct.db"))).toBe(false);
  });

  wired("plugins", "WIR-849 a gateway that is stopped ends, whatever a plugin has left open", async () => {
    const machine = newMachine();
    machine.write({
      ".conduct/conduct.yaml": `plugins: [./busy.mjs]\n${CONFIG}`,
      ".conduct/busy.mjs": 'setInterval(() => undefined, 1_000);\nexport default { name: "busy", setup() {} };',
    });
    const { child, gateway, ended } = startForPerson(machine);
    await gateway.line("Ctrl-C");
    child.kill("SIGTERM");
    expect((await ended)[0]).toBe(0);
  });
});
