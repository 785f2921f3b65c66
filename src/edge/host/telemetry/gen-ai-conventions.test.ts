import { readFileSync } from "node:fs";
import * as published from "@opentelemetry/semantic-conventions/incubating";
import { describe, expect, it } from "vitest";
import { ok } from "../../../engine/session/test/test-play.ts";
import { modelAttributes } from "./model-provider.ts";
import conventions from "./test/gen-ai-metrics.json" with { type: "json" };
import { operator, startConduct } from "./test/telemetry-test-start.ts";

/** The published names. Those that another name replaced say so in the package's declarations. */
const declarations = readFileSync(
  new URL("experimental_attributes.d.mts", import.meta.resolve("@opentelemetry/semantic-conventions/incubating")),
  "utf8",
);
const replaced = new Set(
  declarations.split("/**").flatMap((one) => {
    const name = /declare const ATTR_\w+: "([^"]+)"/.exec(one)?.[1];
    return name !== undefined && /@deprecated (?:Replaced|Removed)/.test(one) ? [name] : [];
  }),
);
const values = (prefix: string) =>
  Object.entries(published).flatMap(([name, value]) => (name.startsWith(prefix) ? [String(value)] : []));
const attributes = values("ATTR_");

/** A turn with a call that ran, one that was denied, usage and content. */
async function played() {
  const world = await startConduct({}, { env: { CONDUCT_TELEMETRY_CONTENT: "1" } });
  const session = world.open({ id: "s1" });
  session.notice({ kind: "started", adapter: "pi", model: "anthropic/claude-opus" });
  await session.onMessage({ text: "ship it", id: "m1", sender: operator });
  await session.onPrompt();
  await session.onCall({ id: "c0", tool: "deploy", args: {} });
  const test = { id: "c1", tool: "test", args: { path: "a" } };
  await session.onCall(test);
  world.pass(250);
  await session.onResult(test, { ...ok, exitCode: 0 });
  session.notice({ kind: "usage", inputTokens: 100, outputTokens: 20 });
  session.notice({ kind: "reply", text: "done" });
  await session.onStop();
  await world.telemetry.flush();
  return world.collector;
}

describe("the names of OpenTelemetry's conventions for GenAI", () => {
  it("OT60: every gen_ai name that is exported is published and not replaced", async () => {
    const collector = await played();
    const used = new Set(
      [...collector.spans(), ...collector.logs(), ...collector.metrics().flatMap(({ points }) => points)]
        .flatMap((one) => Object.keys(one.attributes))
        .filter((name) => name.startsWith("gen_ai.")),
    );
    expect([...used].filter((name) => !attributes.includes(name) || replaced.has(name))).toEqual([]);
    expect(replaced).toContain("gen_ai.system");
    const needed = ["gen_ai.provider.name", "gen_ai.tool.type", "gen_ai.input.messages", "gen_ai.token.type"];
    expect([...used]).toEqual(expect.arrayContaining(needed));
  });

  it("OT61: operations have published names, and a span is named after its operation", async () => {
    const collector = await played();
    for (const { name, attributes: own } of collector.spans()) {
      const operation = String(own["gen_ai.operation.name"]);
      expect(values("GEN_AI_OPERATION_NAME_VALUE_")).toContain(operation);
      expect(name).toBe(`${operation} ${own[operation === "execute_tool" ? "gen_ai.tool.name" : "gen_ai.agent.name"]}`);
    }
  });

  it("OT62: metrics have the published name, instrument and unit, and count what happened", async () => {
    const metrics = (await played()).metrics();
    for (const { name, unit, instrument } of metrics.filter((one) => one.name.startsWith("gen_ai."))) {
      expect(conventions.metrics).toHaveProperty([name], { instrument, unit });
    }
    const points = (of: string) => metrics.find(({ name }) => name === of)?.points ?? [];
    expect(points("gen_ai.execute_tool.duration")).toMatchObject([
      { count: 1, sum: 0.25, attributes: { "gen_ai.tool.name": "test" } },
    ]);
    expect(points("gen_ai.invoke_agent.duration")).toMatchObject([
      { count: 1, attributes: { "gen_ai.provider.name": "anthropic" } },
    ]);
    expect(
      points("gen_ai.client.token.usage").map(({ sum, attributes: own }) => [own["gen_ai.token.type"], sum]),
    ).toEqual([
      ["input", 100],
      ["output", 20],
    ]);
    const decided = points("conduct.decisions").map(({ sum, attributes: own }) => [own["conduct.decision.kind"], sum]);
    expect(decided).toEqual([
      ["deny", 1],
      ["allow", 1],
    ]);
  });

  it.each([
    ["anthropic/claude-opus", "anthropic", "claude-opus"],
    ["google/gemini-3", "gcp.gemini", "gemini-3"],
    ["amazon-bedrock/us.anthropic.claude", "aws.bedrock", "us.anthropic.claude"],
    ["azure/gpt-6", "azure.ai.openai", "gpt-6"],
    ["mistral/large", "mistral_ai", "large"],
    ["xai/grok-5", "x_ai", "grok-5"],
    ["claude-sonnet-5", "anthropic", "claude-sonnet-5"],
    ["gpt-6-codex", "openai", "gpt-6-codex"],
  ])("OT63: the model %s has the published provider %s and the name %s", (named, provider, model) => {
    expect(values("GEN_AI_PROVIDER_NAME_VALUE_")).toContain(provider);
    expect(modelAttributes(named)).toEqual({ "gen_ai.provider.name": provider, "gen_ai.request.model": model });
  });

  it.each([
    ["openrouter/anthropic/claude", "openrouter", "anthropic/claude"],
    ["local-model", undefined, "local-model"],
    [undefined, undefined, undefined],
  ])("OT64: another model keeps its own provider: %s", (named, provider, model) => {
    expect(modelAttributes(named)).toEqual({ "gen_ai.provider.name": provider, "gen_ai.request.model": model });
  });

  it("OT65: metrics wait for their interval, and a closed exporter sends the rest", async () => {
    const { open, telemetry, collector } = await startConduct({}, { limits: { delayMs: 1 } });
    await open({ id: "s1" }).onCall({ id: "c0", tool: "test", args: {} });
    await expect.poll(() => collector.logs().length).toBeGreaterThan(0);
    expect(collector.metrics()).toEqual([]);
    await telemetry.close();
    expect(collector.metrics().map(({ name }) => name)).toEqual(["conduct.decisions"]);
  });
});
