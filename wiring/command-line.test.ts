import { afterAll, describe, expect } from "vitest";
import { Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine();
afterAll(() => machine.close());

const json = async (...words: readonly string[]) => {
  const { code, out } = await machine.conduct([...words, "--json"]);
  return { code, ...(JSON.parse(out) as { readonly command: string; readonly ok: boolean; readonly error?: object }) };
};

describe("the command line", () => {
  wired([], "WIR-516 an unknown command names itself and ends with exit code 2, as text and as JSON", async () => {
    const { code, err } = await machine.conduct(["behavior", "lst"]);
    expect([code, err]).toEqual([2, expect.stringContaining("lst")]);
    expect(await json("behavior", "lst")).toMatchObject({ code: 2, ok: false, command: "conduct behavior" });
  });

  wired([], "WIR-517 help and version are printed, and JSON names the command", async () => {
    expect((await machine.conduct(["behavior", "--help"])).out).toContain("Replace a directive with another");
    expect(await json("behavior", "--help")).toMatchObject({ code: 0, ok: true, command: "conduct behavior" });
    expect((await machine.conduct(["--version"])).out).toMatch(/^\d+\.\d+/);
  });

  wired("CONDUCT_HOME", "WIR-518 a home that cannot be used is one error", async () => {
    machine.write({ "a-file": "" });
    const { code, err } = await machine.conduct(["status"], { env: { CONDUCT_HOME: `${machine.root}/a-file` } });
    expect(code).toBe(1);
    expect(err).toContain(`${machine.root}/a-file`);
  });

  wired([], "WIR-830 a command that reads a configuration names its file, above its answer or its error", async () => {
    machine.write({ ".conduct/conduct.yaml": "agents: { clerk: {} }\n" });
    const { out } = await machine.conduct(["config", "check"]);
    expect(out).toMatch(/config +\S*\.conduct\/conduct\.yaml/);
  });

  wired([], "WIR-831 a hook that cannot ask blocks a call and lets a stop pass", async () => {
    const code = async (hook_event_name: string) => {
      const input = JSON.stringify({ hook_event_name, session_id: "s", cwd: machine.work });
      const env = { CONDUCT_SOCKET: `${machine.root}/none` };
      return (await machine.conduct(["hook", "codex", "--json"], { input, env })).code;
    };
    expect([await code("PreToolUse"), await code("Stop")]).toEqual([2, 1]);
  });
});
