import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pick, startClient } from "./proxy-client.ts";

/**
 * `node compat/acp/overhead.ts [TURNS]`: what a turn with one permission request takes with the SDK's agent, alone and behind
 * `conduct acp` without a daemon.
 */
const turns = Number(process.argv[2] ?? 200);
const AGENT = [process.execPath, "--disable-warning=ExperimentalWarning", join(import.meta.dirname, "sdk-agent.ts")];

async function measure(through: readonly string[] | undefined): Promise<readonly number[]> {
  const root = mkdtempSync(join(tmpdir(), "conduct-acp-overhead-"));
  const home = join(root, "home");
  mkdirSync(home, { mode: 0o700 });
  const client = await startClient({
    through,
    command: AGENT,
    cwd: root,
    env: { PATH: process.env.PATH, HOME: root, CONDUCT_HOME: home },
    hear: () => undefined,
    answer: (request) => pick(request, "allow_once"),
  });
  const { sessionId } = await client.agent.request("session/new", { cwd: root, mcpServers: [] });
  const times: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const from = performance.now();
    await client.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: `ask echo ${turn}` }] });
    times.push(performance.now() - from);
  }
  await client.close();
  rmSync(root, { recursive: true, force: true });
  return times.toSorted((a, b) => a - b);
}

for (const [name, through] of [
  ["alone", undefined],
  ["behind conduct acp", []],
] as const) {
  const times = await measure(through);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(2);
  process.stdout.write(`${name}: median ${at(0.5)} ms, p95 ${at(0.95)} ms (${turns} turns)\n`);
}
