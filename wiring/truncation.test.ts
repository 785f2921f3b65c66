import { afterAll, beforeAll, describe, expect } from "vitest";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { type Gateway, Machine, type PlayedCall } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
let model: ModelServer;
let gateway: Gateway;

const CONFIG = (url: string) => `
agents:
  defaults: { model: own/scripted, tools: [{ name: shell, args: [command] }] }
  clerk: {}
  old: { model: openai/gpt-4 }
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
  openai/gpt-4: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY, window: 128000 }
`;

beforeAll(async () => {
  model = await machine.model();
  machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl) });
  gateway = await machine.gateway();
});
afterAll(() => machine.close());

const shell = (command: string): PlayedCall => ["shell", { command }];
const run = (command: string) => ({ calls: [{ name: "shell", input: { command } }] });
const NOTICE =
  /⚠️ \[Output truncated: ~?(\d+) tokens exceeds limit of (\d+)\. Showing [^,]+?,? (\d+) tokens\. .*?"handle":"([^"]+)","offset":(\d+)/;

function noticeIn(text: string | undefined) {
  const [, original, limit, kept, handle = "", offset] = NOTICE.exec(text ?? "") ?? [];
  return { original: Number(original), limit: Number(limit), kept: Number(kept), handle, offset: Number(offset) };
}

describe("a large output of a command, in the gateway", () => {
  wired(
    "agents.*.tools[].args",
    "WIR-890 cat of a large log keeps its start, names the limit that was exceeded, and read_result pages to its end",
    async () => {
      const { id } = await gateway.operator.call("POST /api/sessions", { body: { agent: "clerk" } });
      model.setScript(({ results }) => {
        const last = results.at(-1)?.text;
        const { handle, offset } = noticeIn(results[1]?.text);
        const read = (from: number) => ({ calls: [{ name: "read_result", input: { handle, offset: from } }] });
        if (results.length === 0) return run(`seq -f 'line %g of the big log' 1 20000 > big.log`);
        if (results.length === 1) return run("cat big.log");
        if (results.length === 2) return read(offset);
        return results.length === 3
          ? read(Number(/ of (\d+)\. Next: /.exec(last ?? "")?.[1]) - 1_000)
          : { text: "done" };
      });
      await gateway.operator.call("POST /api/sessions/{id}/messages", {
        params: { id },
        query: { wait: "true" },
        body: { text: "look" },
      });
      const results = model.requests.at(-1)?.results.map(({ text }) => text) ?? [];
      const cut = results[1] ?? "";
      expect(cut.startsWith("line 1 of the big log\nline 2 of")).toBe(true);
      const notice = noticeIn(cut);
      expect(notice).toMatchObject({ limit: 38_400 });
      expect(notice.kept).toBeGreaterThan(30_000);
      expect(notice.kept).toBeLessThanOrEqual(30_720);
      const { events } = await gateway.operator.call("GET /api/events", { query: { session: id, kind: "truncated" } });
      const recorded = events.flatMap((event) => (event.type === "result" ? (event.truncation ?? []) : []));
      expect(recorded).toContainEqual(
        expect.objectContaining({ tool: "shell", limit: 38_400, kept: notice.kept, handle: notice.handle }),
      );
      const next = cut.slice(0, notice.offset).match(/\n/g)?.length ?? 0;
      expect(results[2]).toContain(`line ${next + 2} of the big log`);
      expect(results[3]).toContain("line 19999 of the big log\nline 20000 of the big log");
    },
  );

  wired("agents.*.model", "WIR-891 tokens are counted in the encoding of the called model", async () => {
    const text = shell("for i in $(seq 1 6000); do echo Ein Überraschungsmoment, 日本語テキスト $i; done");
    const kept = async (agent: string) => (await gateway.play(model, agent, [text]))[0] ?? "";
    // The older encoding needs more tokens for such a text, so less of it fits.
    const [newer, older] = [await kept("clerk"), await kept("old")];
    expect(noticeIn(older).original).toBeGreaterThan(noticeIn(newer).original * 1.2);
    expect(older.length).toBeLessThan(newer.length * 0.85);
  });
});
