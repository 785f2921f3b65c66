/** An agent on the AI SDK, held to conduct.yaml. Run: ANTHROPIC_API_KEY=… npm start */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createAnthropic } from "@ai-sdk/anthropic";
import { loadConfigFile, openConduct } from "agent-conduct";
import { conductAiSdk } from "agent-conduct/ai-sdk";
import { generateText, jsonSchema, tool } from "ai";

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

// Your model and tools, as you would write them without Conduct.
const anthropic = createAnthropic({
  baseURL: `${process.env.ANTHROPIC_BASE_URL ?? "https://api.anthropic.com"}/v1`,
});
const run = promisify(execFile);
const bash = tool({
  description: "Runs a command.",
  inputSchema: jsonSchema<{ command: string }>({
    type: "object",
    properties: { command: { type: "string" } },
    required: ["command"],
  }),
  execute: async ({ command }) => (await run("sh", ["-c", command])).stdout,
});

// Conduct, in three lines.
const guard = conductAiSdk(conduct.session({ agent: "coding" }));
const { text: prompt, reply } = await guard.message("Deploy it.");
if (reply === undefined) {
  const settings = await guard.settings({ model: anthropic("claude-sonnet-4-5"), tools: { bash }, prompt });
  console.log((await generateText(settings)).text);
} else console.log(reply);
await conduct.close();
