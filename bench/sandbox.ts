import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allowedHosts } from "../src/apps/gateway/sandbox/allowed-hosts.ts";
import { openEgressProxy } from "../src/apps/gateway/sandbox/egress-proxy.ts";
import { nodeCommands } from "../src/edge/host/node/node-commands.ts";
import { findSandbox } from "../src/edge/host/sandbox/find-sandbox.ts";
import type { SandboxProxy } from "../src/edge/host/sandbox/sandbox.ts";
import { type Benchmark, main, type Report } from "./report.ts";

const LIMIT = { timeoutMs: 60_000 };

export const sandbox: Benchmark = {
  name: "sandbox",
  about: [
    "A command of a hosted agent, from start to end: in the sandbox, against the same command without one.",
    "An agent with hosts in 'network' starts a bridge to the filtering proxy with each command.",
  ],
  run,
};

async function run(report: Report): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "conduct-bench-sandbox-"));
  const found = await findSandbox({ home, env: process.env, folder: join(home, "run") });
  const proxy = await openEgressProxy({ hosts: () => allowedHosts(["example.org"]) });
  try {
    // Without a sandbox there is nothing to measure, but the run does not fail.
    if (found.kind === "none") return;
    const workspace = join(`${home}-work`, "clerk", "ann");
    mkdirSync(workspace, { recursive: true });
    const bare = nodeCommands(workspace);
    const inside = (way?: SandboxProxy) =>
      nodeCommands(workspace, { wrap: (line) => found.wrap(line, { workspace, proxy: way }) });
    const [closed, open] = [inside(), inside({ socket: proxy.socket, loopback: false })];
    const row = (name: string, command: string, commands = closed) => ({
      name,
      ours: () => commands.run(command, LIMIT),
      reference: () => bare.run(command, LIMIT),
      perBatch: 3,
    });
    await report.group("a command", { ours: "in the sandbox", reference: "without" }, [
      row("true", "true"),
      row("python3 -c 1", "/usr/bin/python3 -c 1"),
      row("true, with a network of named hosts", "true", open),
    ]);
  } finally {
    await proxy.close();
    for (const folder of [home, `${home}-work`]) rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) await main(sandbox);
