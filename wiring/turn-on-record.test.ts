import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished } from "vitest";
import { ClaudeCode } from "./claude-code.ts";
import { Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

/** The types of a session's events in the file, read at once: the programs that wrote them are not asked. */
function stored(machine: Machine, session: string): readonly unknown[] {
  const file = new DatabaseSync(join(machine.home, "conduct.db"), { readOnly: true });
  try {
    const rows = file.prepare("select type from conduct_events where session = ? order by position").all(session);
    return rows.map(({ type }) => type);
  } finally {
    file.close();
  }
}

function newMachine(): Machine {
  const machine = new Machine();
  onTestFinished(() => machine.close());
  return machine;
}

describe("a turn that has ended is in the store", () => {
  wired([], "WIR-782 when a caller has the gateway's answer, another process finds the whole turn", async () => {
    const machine = newMachine();
    const model = await machine.model([{ text: "Good morning." }]);
    const own = `{ baseUrl: "${model.openaiUrl}", api: openai-completions, key: KEY }`;
    machine.write({
      ".conduct/conduct.yaml": `agents: { clerk: { model: own/one } }\nmodels: { own/one: ${own} }\n`,
    });
    const gateway = await machine.gateway([], { KEY: "none" });
    const { id } = await gateway.operator.call("POST /api/sessions", { body: { agent: "clerk" } });
    const wait = { params: { id }, query: { wait: "true" }, body: { text: "hello" } } as const;
    await gateway.operator.call("POST /api/sessions/{id}/messages", wait);
    const found = stored(machine, id);
    // This route writes everything first.
    await gateway.operator.call("GET /api/sessions/{id}/events", { params: { id }, query: {} });
    expect(found).toEqual(stored(machine, id));
    expect(found).toContain("stop");
  });

  wired([], "WIR-783 when a hook has answered a stop, another process finds it", async () => {
    const machine = newMachine();
    machine.write({ ".conduct/conduct.yaml": "agents: { clerk: {} }\n" });
    machine.onClose(() => machine.conduct(["daemon", "stop"]));
    expect((await machine.conduct(["init", "claude-code", "--yes"])).code).toBe(0);
    const claude = new ClaudeCode(machine, "s1");
    await claude.start();
    await claude.say("begin");
    await claude.hook("Stop", { stop_hook_active: false, last_assistant_message: "Done." });
    const found = stored(machine, "s1");
    await machine.conduct(["daemon", "stop"]);
    expect(found).toEqual(stored(machine, "s1"));
    expect(found).toContain("stop");
  });
});
