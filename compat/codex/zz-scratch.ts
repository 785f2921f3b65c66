import { runCodex, newPlace } from "./codex-run.ts";
import { startDaemon } from "./daemon.ts";
import { defineAgent } from "../../src/engine/agent/define-agent.ts";
import { writeFileSync } from "node:fs";
const agent = defineAgent({ name: "a", sections: [{ heading: "Task", content: "Marker." }] });
for (const model of ["gpt-5.5", "gpt-6.1-sol"]) {
  const place = newPlace();
  const d = await startDaemon(place, agent, () => ({ user: "ann" }));
  const end = await runCodex({ place, message: "hi", model, script: [{ text: "ok" }] });
  const r = end.server.requests[0];
  writeFileSync(`/tmp/h7x/${model}.json`, JSON.stringify(r?.body, null, 1));
  console.log(model, end.exitCode, JSON.stringify(r?.tools.map((t) => `${t.namespace ?? ""}/${t.name}`)));
  await d.close(); place.remove();
}
