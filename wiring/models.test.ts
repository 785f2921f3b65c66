import { afterAll, beforeAll, describe, expect } from "vitest";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { type Gateway, Machine, type PlayedCall } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
let model: ModelServer;
let gateway: Gateway;

const CONFIG = (url: string) => `
agents:
  defaults: { tools: [{ name: shell, args: [command] }] }
  narrow: { model: own/narrow }
  wide: { model: own/wide }
  share: { model: own/wide, limits: { toolResultShare: 0.01 } }
  turn: { model: own/wide, limits: { toolResultShare: 0.02, turnResultShare: 0.03 } }
  window: { model: own/wide, limits: { window: 20000 } }
  thinker: { model: own/thinker }
  frugal: { model: own/dear, limits: { cost: 0.05 } }
models:
  own/narrow: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY, window: 20000 }
  own/wide: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY, window: 400000 }
  own/thinker: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY, reasoning: true }
  own/dear: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY, prices: { input: 1000, output: 1000, cacheRead: 1000, cacheWrite: 1000 } }
`;

beforeAll(async () => {
  model = await machine.model();
  machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl) });
  gateway = await machine.gateway();
});
afterAll(() => machine.close());

/** About 19,000 characters. */
const long: PlayedCall = ["shell", { command: "seq 1 4000" }];
const play = (agent: string, ...calls: readonly PlayedCall[]) => gateway.play(model, agent, calls);

describe("models of conduct.yaml, in the gateway", () => {
  wired(
    ["models.*.window", "agents.*.limits.window", "agents.*.limits.toolResultShare"],
    "WIR-120 a result is shortened to its share of the window that the model or the agent's limit declares",
    async () => {
      expect((await play("wide", long))[0]).not.toContain("read_result");
      for (const agent of ["narrow", "window", "share"]) expect((await play(agent, long))[0]).toContain("read_result");
    },
  );
  wired("agents.*.limits.turnResultShare", "WIR-121 all results of a turn together have their share too", async () => {
    const other: PlayedCall = ["shell", { command: "seq 5001 9000" }];
    const [first = "", second = ""] = await play("turn", long, other);
    expect(second.length).toBeLessThan(first.length);
  });
  wired("models.*.reasoning", "WIR-122 the level of /think is sent to a model that reasons", async () => {
    model.setScript(() => ({ text: "done" }));
    await gateway.say("thinker", "/think:high hello");
    expect(model.requests.at(-1)?.thinking).toBe("high");
    await gateway.say("wide", "/think:high hello");
    expect(model.requests.at(-1)?.thinking).toBeUndefined();
  });
  wired(
    ["models.*.prices", "models.*.prices.input", "models.*.prices.output", "agents.*.limits.cost"],
    "WIR-123 the prices of a model make the cost, and used-up cost ends the calls",
    async () => {
      for (const usage of [
        { input: 60, output: 0 },
        { input: 0, output: 60 },
      ]) {
        const calls = [{ name: "shell", input: { command: "echo 1" } }];
        model.setScript([{ calls, usage }, { calls, usage }, () => ({ text: "done" })]);
        await gateway.say("frugal", "go");
        expect(model.requests.at(-1)?.results.at(-1)?.text).toContain("The session's budget for cost is used up");
      }
    },
  );
});
