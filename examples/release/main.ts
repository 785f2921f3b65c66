/** The smallest way from a conduct.yaml to an agent that is held to it. Run: npm exec -- node examples/release/main.ts */
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { workspaceTools } from "../../src/edge/adapters/loop/workspace-tools.ts";
import { loadConfigFile } from "../../src/edge/host/opening/load-config.ts";
import { openConduct } from "../../src/edge/host/opening/open-conduct.ts";
import { type LoopReply, runScriptedLoop } from "../../src/testing/loop/scripted-loop.ts";

const loaded = await loadConfigFile(join(import.meta.dirname, "conduct.yaml"));
if ("error" in loaded) throw new Error(loaded.error.message);
if ("faults" in loaded.parsed) throw new Error(loaded.parsed.faults.map((fault) => fault.message).join("\n"));

const workspace = await mkdtemp(join(tmpdir(), "conduct-example-"));
await cp(join(import.meta.dirname, "project"), workspace, { recursive: true });

const conduct = openConduct({ agents: loaded.parsed.agents, workspace });
conduct.subscribe((event) => {
  if (event.type === "call") {
    const { decision, call } = event;
    const why = decision.kind === "deny" ? `, by ${decision.rule}: ${decision.reason}` : "";
    console.log(`${call.tool} ${call.args.command ?? call.args.path} -> ${decision.kind}${why}`);
  }
  if (event.type === "result") console.log(`  ${event.outcome}`);
  if (event.type === "stop") console.log(`stop -> ${event.status}${event.feedback ? `: ${event.feedback}` : ""}`);
});

// In place of a model: each line is one reply.
const fix = "sed -i.bak 's/net + rate/net * (1 + rate)/' src/price.cjs";
const look = "cat src/price.cjs";
const commands = ["npm run deploy", "npm test", fix, look, fix, "npm test", "npm run build", "npm run deploy"];
const script: LoopReply[] = [
  ...commands.map((command, at) => ({ calls: [{ id: `shell-${at}`, tool: "shell", args: { command } }] })),
  { text: "Deployed." },
  { calls: [{ id: "report", tool: "write_file", args: { path: "report.md", content: "# Released\n" } }] },
  { text: "Deployed and reported." },
];
const session = conduct.session({ agent: "release" });
const { status } = await runScriptedLoop({
  session,
  message: "deploy it",
  tools: workspaceTools(workspace),
  model: () => script.shift() ?? { text: "Nothing more." },
});
console.log(`ended: ${status}`);
await conduct.close();
await rm(workspace, { recursive: true, force: true });
