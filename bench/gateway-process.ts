import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { FromServer } from "./gateway-server.ts";

const SERVER = fileURLToPath(new URL("./gateway-server.ts", import.meta.url));
/** A process that does not exit after this time is killed. */
const END_MS = 60_000;

export type GatewayProcess = {
  readonly url: string;
  readonly tokens: readonly string[];
  /** Memory after a garbage collection, and everything used since the start. */
  used(): Promise<Extract<FromServer, { kind: "memory" }>>;
  end(): Promise<void>;
};

/** Starts `gateway-server.ts` with so many users. */
export async function startGatewayProcess(
  users: number,
  env: { readonly CONDUCT_STORE?: string } = {},
): Promise<GatewayProcess> {
  const child = spawn(process.execPath, ["--expose-gc", SERVER, String(users)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: { ...process.env, CONDUCT_STORE: "", ...env },
  });
  const ready = await hear(child);
  if (ready.kind !== "ready") throw new Error("the gateway did not say that it is ready");
  return {
    url: ready.url,
    tokens: ready.tokens,
    async used() {
      child.send("memory");
      const told = await hear(child);
      if (told.kind !== "memory") throw new Error("the gateway did not tell its memory");
      return told;
    },
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.send("stop");
      const killing = setTimeout(() => child.kill("SIGKILL"), END_MS);
      await ended;
      clearTimeout(killing);
    },
  };
}

function hear(child: ChildProcess): Promise<FromServer> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`the gateway ended with code ${code}`));
    child.once("exit", ended);
    child.once("message", (message) => {
      child.off("exit", ended);
      resolve(message as FromServer);
    });
  });
}
