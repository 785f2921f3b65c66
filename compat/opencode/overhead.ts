import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { asObject, asString } from "../../src/base/kernel/json.ts";
import { defineAgent } from "../../src/engine/agent/define-agent.ts";
import { startDaemon } from "./daemon.ts";
import { writeFiles } from "./place.ts";
import { startServer } from "./server.ts";

/**
 * What a tool call costs with Conduct, against the same OpenCode without it (`OPENCODE_PURE`): from one model request to the next, with one
 * read between them, in paired batches. `node_modules/.bin/node compat/opencode/overhead.ts [BATCHES]`
 */
const CALLS = 10;
const batches = Number(process.argv[2] ?? 10);

async function open(env: NodeJS.ProcessEnv) {
  const server = await startServer({ env });
  const workspace = join(server.place.root, "workspace");
  const home = join(server.place.root, "conduct");
  await mkdir(workspace);
  await writeFiles(workspace, { "a.txt": "one\n" });
  const agent = defineAgent({ name: "plain" });
  const daemon = await startDaemon({ agent, socket: server.place.socket, workspace, home });
  return {
    /** Milliseconds between the requests of one turn. */
    async measure(): Promise<readonly number[]> {
      const times: number[] = [];
      server.models.setScript(() => {
        times.push(performance.now());
        if (times.length > CALLS) return { text: "Done." };
        return { calls: [{ name: "read", input: { filePath: "a.txt" } }] };
      });
      const { body } = await server.ask(workspace, "POST", "/session", {});
      const path = `/session/${asString(asObject(body).id)}/message`;
      await server.ask(workspace, "POST", path, { parts: [{ type: "text", text: "go" }] });
      return times.slice(1).map((time, at) => time - (times[at] ?? 0));
    },
    async close(): Promise<void> {
      await daemon.close();
      await server.close();
    },
  };
}

function quartiles(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
  return `${at(0.5)} ms (${at(0.25)}-${at(0.75)})`;
}

const ours = await open({});
const bare = await open({ OPENCODE_PURE: "1" });
try {
  const [with_, without]: [number[], number[]] = [[], []];
  // The first of each starts what OpenCode starts once.
  await ours.measure();
  await bare.measure();
  for (let batch = 0; batch < batches; batch += 1) {
    with_.push(...(await ours.measure()));
    without.push(...(await bare.measure()));
  }
  console.log(`a call with Conduct ${quartiles(with_)}, without ${quartiles(without)}, ${with_.length} of each`);
} finally {
  await ours.close();
  await bare.close();
}
