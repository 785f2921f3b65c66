import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseObject } from "../../src/base/kernel/json.ts";
import { SMALL_FILE, type Steady, type SteadyOptions, writeSmallFiles } from "../steady.ts";
import { startSteadyDaemon } from "../steady-daemon.ts";
import { startSteadyModel, steadyScript } from "../steady-script.ts";
import { ALLOWED, CLAUDE, environment, setUp } from "./cli.ts";
import { newPlace } from "./place.ts";

/** One `claude -p` that is sent message after message; with Conduct as `conduct init claude-code` leaves it. */
export async function openSteady({ calls, under }: SteadyOptions): Promise<Steady> {
  const place = newPlace();
  writeSmallFiles(place.workspace, calls);
  const script = steadyScript(calls, (at) => ({
    name: "Read",
    input: { file_path: join(place.workspace, SMALL_FILE.replace("{n}", String(at))) },
  }));
  const model = await startSteadyModel(script);
  const daemon = under === "conduct" ? await startSteadyDaemon(place.conduct) : undefined;
  if (daemon === undefined) writeFileSync(join(place.config, ".claude.json"), "{}");
  else setUp(place, daemon, { startCommand: `${daemon.command} hook claude-code` });
  const stream = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
  const child = spawn(CLAUDE, ["-p", ...stream, "--allowedTools", ALLOWED], {
    cwd: place.workspace,
    env: environment(place, model.url),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const gone = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    processes: [...(daemon === undefined ? [] : [daemon.process]), { name: "claude", pid: child.pid ?? 0 }],
    async turn() {
      const message = { role: "user", content: "go" };
      child.stdin.write(`${JSON.stringify({ type: "user", message, parent_tool_use_id: null })}\n`);
      for (;;) {
        const { done, value } = await lines.next();
        if (done === true) throw new Error("Claude Code has ended");
        const line = parseObject(value);
        if (line?.type !== "result") continue;
        if (line.subtype !== "success") throw new Error(`the turn ended: ${value.slice(0, 1_000)}`);
        return script.spentMs();
      }
    },
    async close() {
      child.stdin.end();
      await gone;
      await daemon?.close();
      await model.close();
      place.remove();
    },
  };
}
