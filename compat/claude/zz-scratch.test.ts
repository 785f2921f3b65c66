import { it } from "vitest";
import { play, shell } from "./play.ts";
const brief = (r: any) => ({ sys: r.body.system.slice(2).map((b: any) => b.text.slice(0, 3000)), thinking: r.body.thinking, oc: r.body.output_config, messages: r.body.messages.map((m: any) => [m.role, typeof m.content === "string" ? m.content : m.content.map((c: any) => (c.text ?? JSON.stringify(c)).slice(0, 400))]) });
it("one", async () => {
  const o = await play({ sections: [{ heading: "Task", content: "MARK" }] }, { message: "/think high /verbose hello", then: ["/modes", "again", "/think:low more", "/nothink bye"], script: [{ calls: [shell("c1", "echo hi")] }, { text: "Hi." }, { text: "Hi." }, { text: "Low." }, { text: "Bye." }] });
  console.log(JSON.stringify(o.modelRequests.map(brief), null, 1));
  console.log(JSON.stringify(o.shown, null, 1));
  console.log(JSON.stringify(o.messages.filter((m: any) => m.type === "result" || m.subtype === "informational").map((m: any) => [m.type, m.result ?? m.content, m.num_turns]), null, 1));
  console.log(o.events.filter(e=>e.type==="fault").map(e => JSON.stringify((e as any).fault)));
}, 60000);
