/** An agent on the Claude Agent SDK, held to conduct.yaml. Run: ANTHROPIC_API_KEY=… npm start */
import * as sdk from "@anthropic-ai/claude-agent-sdk";
import { loadConfigFile, openConduct } from "agent-conduct";
import { conductQuery } from "agent-conduct/claude";

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

const session = conduct.session({ agent: "coding" });
const options: sdk.Options = { cwd: process.cwd(), allowedTools: ["Bash"], settingSources: [] };
for await (const message of conductQuery({ prompt: "Deploy it.", options }, session, { sdk }))
  if (message.type === "result") console.log(message.subtype === "success" ? message.result : message.subtype);
await conduct.close();
