import { mkdirSync } from "node:fs";
import { asObject, asString } from "../../src/base/kernel/json.ts";
import { codexHooksJson } from "../../src/edge/adapters/codex/hooks-json.ts";
import { trustCodexHooks } from "../../src/edge/adapters/codex/trust.ts";
import { SMALL_FILE, type Steady, type SteadyOptions, writeSmallFiles } from "../steady.ts";
import { startSteadyDaemon } from "../steady-daemon.ts";
import { startSteadyModel, steadyScript } from "../steady-script.ts";
import { openAppClient } from "./app-client.ts";
import { CODEX, codexEnv, newPlace, writeHome } from "./codex-run.ts";
import { conductHome } from "./daemon.ts";

/** `codex app-server`, as the IDE has it; with Conduct as `conduct init codex` and a trusting person leave it. */
export async function openSteady({ calls, under }: SteadyOptions): Promise<Steady> {
  const place = newPlace();
  mkdirSync(place.workspace, { recursive: true });
  writeSmallFiles(place.workspace, calls);
  const script = steadyScript(calls, (at) => ({
    name: "exec_command",
    input: { cmd: `cat ${SMALL_FILE.replace("{n}", String(at))}` },
  }));
  const model = await startSteadyModel(script);
  const daemon = under === "conduct" ? await startSteadyDaemon(conductHome(place)) : undefined;
  if (daemon === undefined) await writeHome(place, model.openaiUrl, { hooks: '{"hooks":{}}', tools: false });
  else {
    const hooks = codexHooksJson(`${daemon.command} hook codex`);
    await writeHome({ ...place, socket: daemon.socket }, model.openaiUrl, { hooks });
    const { bound, faults } = await trustCodexHooks(place.home, place.workspace, CODEX);
    if (!bound) throw new Error(`Codex is not bound: ${faults.join("; ")}`);
  }
  const client = await openAppClient(place.workspace, codexEnv(place));
  const begin = async (): Promise<string> => {
    const options = { cwd: place.workspace, approvalPolicy: "never", sandbox: "danger-full-access" };
    return asString(asObject((await client.request("thread/start", options)).thread).id);
  };
  let thread = await begin();
  return {
    processes: [...(daemon === undefined ? [] : [daemon.process]), { name: "codex", pid: client.pid }],
    async renew() {
      thread = await begin();
    },
    async turn() {
      await client.say(thread, "go");
      return script.spentMs();
    },
    async close() {
      await client.close();
      await daemon?.close();
      await model.close();
      place.remove();
    },
  };
}
