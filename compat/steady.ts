import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ReadBeforeWritePolicy } from "../src/behavior/policy/builtin/read-before-write-policy.ts";
import { SequentialDependencyPolicy } from "../src/behavior/policy/builtin/sequential-dependency-policy.ts";
import { openConductFromEnv } from "../src/edge/host/opening/open-conduct.ts";
import { defineAgent } from "../src/engine/agent/define-agent.ts";
import type { SteadyProcess } from "./steady-processes.ts";

/** A runtime that makes the same turn again and again: for measuring, with Conduct or without it. */
export type Steady = {
  /** Gives the milliseconds that its calls took, from the first model request to the last. */
  turn(): Promise<number>;
  /** Another conversation, where the runtime can begin one without being started anew. */
  renew?(): unknown;
  /** The processes that last from turn to turn, Conduct's first. None where all of it runs in this one. */
  readonly processes: readonly SteadyProcess[];
  close(): Promise<void>;
};

export type SteadyOptions = {
  /** Calls of a turn, each a read of a small file. */
  readonly calls: number;
  readonly under: "conduct" | "nothing";
};

/** Every call of a turn reads its own; `{n}` is the number of the call. */
export const SMALL_FILE = "a-{n}.txt";

export function writeSmallFiles(workspace: string, calls: number): void {
  for (let at = 0; at < calls; at += 1) {
    writeFileSync(join(workspace, SMALL_FILE.replace("{n}", String(at))), "a small file\n");
  }
}

/** Rules that look at every call and deny none of these. */
const agent = defineAgent({
  name: "steady",
  soul: "Be steady.",
  actions: { test: { tool: "shell", command: "sh test.sh" }, deploy: { tool: "shell", command: "sh deploy.sh" } },
  policies: [new ReadBeforeWritePolicy(), new SequentialDependencyPolicy({ dependencies: { deploy: ["test"] } })],
});

/** A folder with the file, a model in its own process, and a Conduct. */
export async function openSteadyPlace(calls: number, read: (file: string) => { name: string; input: object }) {
  const root = mkdtempSync(join(tmpdir(), "conduct-steady-"));
  const workspace = join(root, "workspace");
  for (const folder of ["workspace", "home", "config"]) mkdirSync(join(root, folder));
  writeSmallFiles(workspace, calls);
  const { name, input } = read(join(workspace, SMALL_FILE));
  const program = join(import.meta.dirname, "steady-model.ts");
  const model = spawn(process.execPath, [program, String(calls), name, JSON.stringify(input)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: model.stdout })[Symbol.asyncIterator]();
  const address = (await lines.next()).value;
  const conduct = openConductFromEnv({ agents: [agent], workspace, home: join(root, "conduct") });
  return {
    root,
    workspace,
    url: String(address).trim(),
    conduct,
    open: () => conduct.session({ agent: agent.name }),
    /** What the calls of a turn took that is over. */
    spentMs: async () => Number((await lines.next()).value),
    async close(): Promise<void> {
      await conduct.close();
      model.stdin.end();
      await once(model, "close");
      rmSync(root, { recursive: true, force: true });
    },
  };
}
