import { rmSync } from "node:fs";
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const LOG_LINES = 9_000;
/** However the demo ends, its folder goes with it. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export type Sandbox = { readonly root: string; close(keep: boolean): Promise<void> };

/** A folder of its own with a copy of the example's project, in which the agent's tools are real. */
export async function openSandbox(project: string): Promise<Sandbox> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "conduct-demo-")));
  await cp(project, root, { recursive: true });
  await mkdir(join(root, "logs"));
  await writeFile(join(root, "logs", "ci.log"), longLog());
  const remove = () => rmSync(root, { recursive: true, force: true });
  const interrupt = () => process.exit(130);
  process.once("exit", remove);
  for (const signal of SIGNALS) process.once(signal, interrupt);
  return {
    root,
    async close(keep) {
      process.off("exit", remove);
      for (const signal of SIGNALS) process.off(signal, interrupt);
      if (!keep) await rm(root, { recursive: true, force: true });
    },
  };
}

/** The same in every run: what is kept of it can be compared. */
function longLog(): string {
  const lines = Array.from({ length: LOG_LINES }, (_, at) => {
    const minute = String(Math.floor(at / 150) % 60).padStart(2, "0");
    const second = String(Math.floor(at / 2.5) % 60).padStart(2, "0");
    return `03:${minute}:${second} runner-${at % 7} step ${at + 1} of ${LOG_LINES} ok in ${(at * 37) % 900} ms`;
  });
  return `${lines.join("\n")}\n`;
}
