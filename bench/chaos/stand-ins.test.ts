import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { startModel, startTool } from "./stand-ins.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const post = (url: string, body: object, key = "none") =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });

describe("the stand-ins of the chaos suite", () => {
  it("CHAOS-12 the model records replica, message, step, transcript and directives, and asks for the tool once", async () => {
    const model = await startModel(
      () => 5,
      () => 0,
    );
    closing.push(() => model.close());
    const system = { role: "system", content: "KEEP: be polite (D1)\nKEEP: be brief (D3)" };
    const tools = [{ type: "function", function: { name: "mcp__log__append", parameters: {} } }];
    const before = [
      { role: "user", content: "[c1-m0] Append it." },
      { role: "assistant", content: "Done [c1-m0]." },
      { role: "user", content: "[c1-m1] Append it." },
    ];
    const call = { id: "x", type: "function", function: { name: "mcp__log__append", arguments: "{}" } };
    const after = [
      ...before,
      { role: "assistant", tool_calls: [call] },
      { role: "tool", tool_call_id: "x", content: "ok" },
    ];
    const texts = [];
    for (const history of [before, after]) {
      const body = { model: "m", tools, messages: [system, ...history] };
      texts.push(await (await post(`${model.url}/chat/completions`, body, "r2")).text());
    }
    expect(texts[0]).toContain("c1-m1");
    expect(texts[0]).toContain("tool_calls");
    expect(texts[1]).toContain("Done [c1-m1].");
    const known = { at: 5, replica: "r2", message: "c1-m1", earlier: ["c1-m0"], directives: ["D1", "D3"] };
    expect(model.calls).toEqual([
      { ...known, step: 0 },
      { ...known, step: 1 },
    ]);
    expect(model.pending("r2")).toBe(0);
  });

  it("CHAOS-13 the tool writes a line to its own file for each call, and for nothing else", async () => {
    const folder = mkdtempSync(join(tmpdir(), "conduct-chaos-test-"));
    closing.push(() => rmSync(folder, { recursive: true, force: true }));
    const tool = await startTool(
      join(folder, "log"),
      () => 7,
      () => 0,
    );
    closing.push(() => tool.close());
    const rpc = async (method: string, params: object) =>
      (await post(tool.url, { jsonrpc: "2.0", id: 1, method, params })).json();
    expect(await rpc("tools/list", {})).toMatchObject({ result: { tools: [{ name: "append" }] } });
    expect(tool.runs()).toEqual([]);
    for (const message of ["c1-m0", "c1-m0"]) await rpc("tools/call", { name: "append", arguments: { message } });
    expect(tool.runs()).toEqual([
      { at: 7, message: "c1-m0" },
      { at: 7, message: "c1-m0" },
    ]);
  });
});
