import { SMALL_FILE, type Steady, type SteadyOptions, writeSmallFiles } from "../steady.ts";
import { startSteadyDaemon } from "../steady-daemon.ts";
import { heaviestOf, probedEnv } from "../steady-processes.ts";
import { startSteadyModel, steadyScript } from "../steady-script.ts";
import { writeConfig } from "./config.ts";
import { startGateway } from "./gateway.ts";
import { newPlace } from "./place.ts";

/** OpenClaw's gateway with a chat; with Conduct's plugin as `conduct init openclaw` leaves it, or without it. */
export async function openSteady({ calls, under }: SteadyOptions): Promise<Steady> {
  const place = newPlace();
  const { workspace, home } = place.newRun();
  writeSmallFiles(workspace, calls);
  const script = steadyScript(calls, (at) => ({
    name: "read",
    input: { path: SMALL_FILE.replace("{n}", String(at)) },
  }));
  const model = await startSteadyModel(script);
  const daemon = under === "conduct" ? await startSteadyDaemon(home) : undefined;
  const configure = (port: number) => writeConfig(place, { modelUrl: model.url, port, socket: daemon?.socket });
  const gateway = await startGateway(place, configure, probedEnv);
  let conversations = 0;
  const begin = async (): Promise<string> => {
    conversations += 1;
    const key = `agent:main:steady${conversations}`;
    await gateway.request("sessions.create", { key, cwd: workspace });
    return key;
  };
  let key = await begin();
  return {
    processes: [
      ...(daemon === undefined ? [] : [daemon.process]),
      { name: "openclaw", pid: heaviestOf(gateway.pid), probed: true },
    ],
    async renew() {
      key = await begin();
    },
    async turn() {
      const { state, text } = await gateway.chat(key, "go");
      if (state !== "final") throw new Error(`the turn ended: ${state} ${text}`);
      return script.spentMs();
    },
    async close() {
      await gateway.stop();
      await daemon?.close();
      await model.close();
      place.remove();
    },
  };
}
