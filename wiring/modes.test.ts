import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect } from "vitest";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { type Gateway, Machine, TOKEN } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
let model: ModelServer;
let gateway: Gateway;

const CONFIG = (url: string) => `
agents:
  defaults: { tools: [{ name: shell, args: [command], risk: high }] }
  clerk: { model: own/plain }
  thinker: { model: own/thinker }
models:
  own/plain: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
  own/thinker: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY, reasoning: true }
`;

beforeAll(async () => {
  model = await machine.model();
  machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl) });
  gateway = await machine.gateway();
});
afterAll(() => machine.close());

type Say = Awaited<ReturnType<Gateway["open"]>>;

/** Has the model run a command of high risk in the answer to this text. */
async function runs(say: Say, text: string) {
  model.setScript([{ calls: [{ name: "shell", input: { command: "echo ran" } }] }, { text: "done" }]);
  const { notes = [] } = await say(text);
  const request = model.requests.at(-1);
  return { hasRun: request?.results.at(-1)?.text === "ran\n", notes, request };
}

/** A conversation of a user who is no operator. */
async function conversationOf(name: string) {
  const client = await gateway.person(name);
  const { id } = await client.call("POST /api/sessions", { body: { agent: "clerk" } });
  const say: Say = (text) =>
    client.call("POST /api/sessions/{id}/messages", { params: { id }, query: { wait: "true" }, body: { text } });
  return { id, say, client };
}

describe("modes in the gateway, for a caller with ?wait=true", () => {
  wired(
    "agents.*.tools[].risk",
    "WIR-892 /elevated with the value of another system elevates nobody, and a mode behind an unknown command is reported",
    async () => {
      for (const [text, sent, note] of [
        ["/elevated ask hi", "ask hi", /^Not elevated: .*It takes on, off, or a time/],
        ["/elevated full hi", "full hi", /^Not elevated: /],
        ["/foo /elevated hi", "/foo /elevated hi", /\/foo is not a mode.*So \/elevated after it had no effect/],
        ["/verbos hi", "/verbos hi", /\/verbos is not a mode.*Did you mean \/verbose\?/],
      ] as const) {
        const { hasRun, notes, request } = await runs(await gateway.open("clerk"), text);
        expect({ text, hasRun, notes }).toEqual({ text, hasRun: false, notes: [expect.stringMatching(note)] });
        expect(request?.lastUserText).toContain(sent);
      }
    },
  );

  wired(
    "agents.*.tools[].risk",
    "WIR-893 the debug lines show each decision as it was, and reach no model request",
    async () => {
      const say = await gateway.open("clerk");
      const denied = await runs(say, "/verbose on go");
      expect(denied.notes.join("\n")).toMatch(/\[DEBUG\] Decision: deny, builtin:high-risk/);
      const allowed = await runs(say, "/elevated go");
      expect(allowed.hasRun).toBe(true);
      expect(allowed.notes.join("\n")).toMatch(
        /Tool: shell\n.*\n\[DEBUG\] Outcome: ok\n\[DEBUG\] Decision: allow, elevated\n\[DEBUG\] Result:\n\[DEBUG\] {3}ran/,
      );
      await runs(say, "again");
      expect(model.requests.map(({ raw }) => raw).join("\n")).not.toContain("[DEBUG]");
    },
  );

  wired(
    "models.*.reasoning",
    "WIR-894 the level of /think is sent to a model that reasons; for any other the person reads that it is not",
    async () => {
      const sent = await runs(await gateway.open("thinker"), "/think:low go");
      expect([sent.request?.thinking, sent.notes]).toEqual(["low", []]);
      const unsent = await runs(await gateway.open("clerk"), "/think:low go");
      expect(unsent.request?.thinking).toBeUndefined();
      expect(unsent.notes).toEqual([expect.stringContaining("No thinking level is sent")]);
    },
  );

  wired(
    ["conduct elevate --for", "conduct elevate --off"],
    "WIR-895 an operator elevates a user's conversation for a time over the API and with the command; the user cannot",
    async () => {
      const { id, say, client } = await conversationOf("ann");
      const params = { id };
      const refused = await runs(say, "/elevated go");
      expect([refused.hasRun, refused.notes]).toEqual([false, [expect.stringContaining("only an operator")]]);
      await expect(
        client.call("POST /api/sessions/{id}/elevation", { params, body: { time: "10m" } }),
      ).rejects.toMatchObject({ code: "FORBIDDEN" });

      await gateway.operator.call("POST /api/sessions/{id}/elevation", { params, body: { time: "10m" } });
      const elevated = await runs(say, "go");
      expect([elevated.hasRun, elevated.notes]).toEqual([
        true,
        ["An operator elevated this conversation for 10 minutes."],
      ]);
      expect((await say("/elevated")).answer).toMatch(/^elevated: on, for another .*, by an operator$/);
      await gateway.operator.call("DELETE /api/sessions/{id}/elevation", { params });
      expect((await runs(say, "go")).hasRun).toBe(false);

      const elevate = (...words: readonly string[]) =>
        machine.conduct(["elevate", id, ...words], { env: { CONDUCT_TOKEN: TOKEN } });
      await elevate("--for", "10m");
      expect((await runs(say, "go")).hasRun).toBe(true);
      await elevate("--off");
      expect((await runs(say, "go")).hasRun).toBe(false);
      await elevate("--for", "1s");
      await setTimeout(1_100);
      expect((await runs(say, "go")).hasRun).toBe(false);
    },
  );
});
