import { createServer } from "node:http";
import { zstdDecompressSync } from "node:zlib";
import { spawnSync, spawn } from "node:child_process";
import { writeHome, newPlace, CODEX } from "./codex-run.ts";
import { startDaemon } from "./daemon.ts";
import { defineAgent } from "../../src/engine/agent/define-agent.ts";
const agent = defineAgent({ name: "a", sections: [{ heading: "Task", content: "Marker." }] });
for (const query of process.argv.slice(2)) {
  const place = newPlace();
  const d = await startDaemon(place, agent, () => ({ user: "ann" }));
  let n = 0;
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (c) => chunks.push(c));
    req.on("end", () => {
      if (!req.url?.includes("/responses")) { res.writeHead(404).end("{}"); return; }
      let raw = Buffer.concat(chunks);
      if (req.headers["content-encoding"] === "zstd") raw = zstdDecompressSync(raw);
      const body = JSON.parse(raw.toString());
      n += 1;
      if (n > 1) console.log(query, "->", JSON.stringify(body.input.filter((i: any) => /tool_search/.test(i.type))).slice(0, 2500));
      const item = n === 1
        ? { type: "tool_search_call", id: "ts_1", call_id: "call_ts", execution: "client", status: "completed", arguments: { query } }
        : { type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text: "ok" }] };
      res.writeHead(200, { "content-type": "text/event-stream" });
      for (const e of [
        { type: "response.created", response: { id: `r${n}` } },
        { type: "response.output_item.done", output_index: 0, item },
        { type: "response.completed", response: { id: `r${n}`, usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } } },
      ]) res.write(`event: ${e.type}\ndata: ${JSON.stringify(e)}\n\n`);
      res.end();
    });
  });
  await new Promise<void>((r) => server.listen(0, "127.0.0.1", () => r()));
  const port = (server.address() as any).port;
  await writeHome(place, `http://127.0.0.1:${port}/v1`);
  const child = spawn(CODEX, ["exec", "--skip-git-repo-check", "--json", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", "-C", place.workspace, "hi"], { env: { PATH: process.env.PATH, HOME: place.home, CODEX_HOME: place.home, SCRIPTED_KEY: "x" }, stdio: ["ignore", "pipe", "pipe"] });
  await new Promise((r) => child.on("close", r));
  server.close(); await d.close(); place.remove();
}
