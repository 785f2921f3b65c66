/** An agent on the OpenAI Agents SDK, held to conduct.yaml. Run: OPENAI_API_KEY=… npm start */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Agent, setTracingDisabled, tool } from "@openai/agents";
import { loadConfigFile, openConduct } from "agent-conduct";
import { conductAgents } from "agent-conduct/openai-agents";

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

// Your agent, as you would write it without Conduct.
setTracingDisabled(true);
const run = promisify(execFile);
const bash = tool({
  name: "bash",
  description: "Runs a command.",
  parameters: {
    type: "object",
    properties: { command: { type: "string" } },
    required: ["command"],
    additionalProperties: false,
  },
  strict: true,
  execute: async (input) => {
    const { command } = input as { command: string };
    return (await run("sh", ["-c", command])).stdout;
  },
});
const deployer = new Agent({ name: "deployer", model: "gpt-5.5", tools: [bash] });

// Conduct, in four lines.
const guard = conductAgents(conduct.session({ agent: "coding" }));
const agent = await guard.agent(deployer);
const { text, reply } = await guard.message("Deploy it.");
console.log(reply ?? (await guard.run(agent, text)).finalOutput);
await conduct.close();
