import { SMALL_FILE, type Steady, type SteadyOptions, writeSmallFiles } from "../steady.ts";
import { startSteadyDaemon } from "../steady-daemon.ts";
import { probedEnv } from "../steady-processes.ts";
import { startSteadyModel, steadyScript } from "../steady-script.ts";
import { newPlace, writePiHome } from "./place.ts";
import { startPi } from "./rpc.ts";

/** `pi --mode rpc`; with Conduct's extension as `conduct init pi` leaves it, or without the file. */
export async function openSteady({ calls, under }: SteadyOptions): Promise<Steady> {
  const place = newPlace();
  writeSmallFiles(place.workspace, calls);
  const script = steadyScript(calls, (at) => ({
    name: "read",
    input: { path: SMALL_FILE.replace("{n}", String(at)) },
  }));
  const model = await startSteadyModel(script);
  const daemon = under === "conduct" ? await startSteadyDaemon(place.home) : undefined;
  const home = { modelUrl: model.url, api: "anthropic-messages", window: 200_000 } as const;
  writePiHome(place, daemon === undefined ? { ...home, extension: null } : home);
  const pi = startPi({ ...place, socket: daemon?.socket ?? place.socket }, [], undefined, probedEnv);
  return {
    processes: [...(daemon === undefined ? [] : [daemon.process]), { name: "pi", pid: pi.pid, probed: true }],
    renew: () => pi.send({ type: "new_session" }),
    async turn() {
      await pi.prompt("go");
      return script.spentMs();
    },
    async close() {
      await pi.close();
      await daemon?.close();
      await model.close();
      place.remove();
    },
  };
}
