import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ReadBeforeWritePolicy } from "../src/behavior/policy/read-before-write-policy.ts";
import { SequentialDependencyPolicy } from "../src/behavior/policy/sequential-dependency-policy.ts";
import { openConduct } from "../src/edge/host/open-conduct.ts";
import { defineAgent } from "../src/engine/agent/define-agent.ts";

/** A runtime that makes the same turn again and again: for measuring, with Conduct or without it. */
export type Steady = { turn(): Promise<void>; close(): Promise<void> };

export type SteadyOptions = {
  /** Calls of a turn, each a read of a small file. */
  readonly calls: number;
  readonly under: "conduct" | "nothing";
};

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
  writeFileSync(join(workspace, "a.txt"), "a small file\n");
  const { name, input } = read(join(workspace, "a.txt"));
  const program = join(import.meta.dirname, "steady-model.ts");
  const model = spawn(process.execPath, [program, String(calls), name, JSON.stringify(input)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [address] = await once(model.stdout.setEncoding("utf8"), "data");
  const conduct = openConduct({ agents: [agent], workspace, home: join(root, "conduct") });
  return {
    root,
    workspace,
    url: String(address).trim(),
    conduct,
    open: () => conduct.session({ agent: agent.name }),
    async close(): Promise<void> {
      await conduct.close();
      model.stdin.end();
      await once(model, "close");
      rmSync(root, { recursive: true, force: true });
    },
  };
}
