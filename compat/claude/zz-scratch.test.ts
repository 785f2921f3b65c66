import { it } from "vitest";
import { play } from "/work/main/compat/claude/play.ts";
import * as sdk from "/work/main/compat/node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs";
const show = (o: any) => { for (const r of o.modelRequests) console.log(JSON.stringify((r.body.system as any[]).map((b) => ({...b, text: b.text.slice(0,30)+"…"+b.text.slice(-60), len: b.text.length})), null, 1)); };
it("custom", async () => {
  const P = "STATIC ".repeat(50), T = "TURN ".repeat(5);
  for (const prompt of [[P, T], [P, sdk.SYSTEM_PROMPT_DYNAMIC_BOUNDARY, T]]) {
  const o = await play({}, { script: [{ text: "Hi." }] }, { options: { systemPrompt: { type: "custom", prompt } as any } });
  show(o);
  const m = o.modelRequests[0].body as any;
  console.log(JSON.stringify(m.messages).slice(0,1500), m.tools.map((t: any)=>t.name), Object.keys(m));
  }
  const o = await play({}, { script: [{ text: "Hi." }] }, { options: { systemPrompt: { type: "preset", preset: "claude_code", append: "X" } } });
  show(o);
}, 60000);
