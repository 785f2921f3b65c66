/** An agent on pi-agent-core, held to conduct.yaml. Run: ANTHROPIC_API_KEY=… npm start */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Agent, type AgentTool } from "@earendil-works/pi-agent-core";
import { Type } from "@earendil-works/pi-ai";
import { getModel, streamSimple } from "@earendil-works/pi-ai/compat";
import { loadConfigFile, openConduct } from "agent-conduct";
import { conductPi } from "agent-conduct/pi";

const loaded = await loadConfigFile("conduct.yaml");
if ("error" in loaded) throw new Error(loaded.error.message);
if ("faults" in loaded.parsed) throw new Error(loaded.parsed.faults.map(({ message }) => message).join("\n"));

const conduct = openConduct({ agents: loaded.parsed.agents, workspace: process.cwd() });
conduct.subscribe((event) => {
  if (event.type !== "call") return;
  const { decision, call } = event;
  const why = decision.kind === "deny" ? ` by ${decision.rule}: ${decision.reason}` : "";
  console.log(`${call.args.command ?? call.tool} -> ${decision.kind}${why}`);
});

// Your agent, as you would build it without Conduct.
const run = promisify(execFile);
const parameters = Type.Object({ command: Type.String() });
const bash: AgentTool<typeof parameters> = {
  name: "bash",
  label: "bash",
  description: "Runs a command.",
  parameters,
  execute: async (_id, { command }) => ({
    content: [{ type: "text", text: (await run("sh", ["-c", command])).stdout }],
    details: undefined,
  }),
};
const model = getModel("anthropic", "claude-sonnet-4-5");
const agent = new Agent({
  initialState: { model: { ...model, baseUrl: process.env.ANTHROPIC_BASE_URL ?? model.baseUrl }, tools: [bash] },
  streamFn: streamSimple,
});

// Conduct, in one line.
const pi = conductPi(agent, conduct.session({ agent: "coding" }));

const { text } = await pi.prompt("Deploy it.");
console.log(text);
await conduct.close();
