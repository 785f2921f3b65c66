import { describe, expect, it } from "vitest";
import type { ModelAnswer, ModelQuestion, Models } from "../../base/ports/models.ts";
import type { SessionLabels } from "../../base/words/hosting/agent.ts";
import { classifyWithModel, resolveLabels } from "./classify.ts";

const GOOD = { label: "A title", topic: "coding", complexity: "simple", domain: [], flags: [] };

type Reply = string | Error | (() => Promise<ModelAnswer>);

/** Answers in order and keeps what it was asked. */
function scripted(...replies: readonly Reply[]): Models & { readonly asked: ModelQuestion[] } {
  const asked: ModelQuestion[] = [];
  return {
    asked,
    // Not async: a port may throw at once.
    ask(question) {
      const reply = replies[asked.push(question) - 1];
      if (reply instanceof Error) throw reply;
      if (typeof reply === "function") return reply();
      return Promise.resolve({ text: reply ?? "", usage: { inputTokens: 100, outputTokens: 20, cost: 0.5 } });
    },
  };
}

const QUESTION = { model: "p/small", conversation: ["fix it"], timeoutMs: 10_000 };
const ONCE = { inputTokens: 100, outputTokens: 20, cost: 0.5 };
const TWICE = { inputTokens: 200, outputTokens: 40, cost: 1 };

describe("classifyWithModel", () => {
  it("CL-20 an API key in a provider's error message is redacted", async () => {
    const key = "sk-proj-a1B2c3D4e5F6g7H8i9J0";
    const models = scripted(new Error(`401: wrong key ${key}`), new Error(`401: wrong key ${key}`));
    const told = JSON.stringify(await classifyWithModel(models, QUESTION));
    expect(told).toContain("401: wrong key");
    expect(told).not.toContain(key);
  });

  it("CL-20 the classifier makes one request, with the conversation as data and a small token cap", async () => {
    const models = scripted(JSON.stringify(GOOD));
    expect(await classifyWithModel(models, QUESTION)).toEqual({ classification: GOOD, usage: ONCE });
    expect(models.asked).toEqual([
      expect.objectContaining({
        model: "p/small",
        maxTokens: 120,
        system: expect.stringContaining("not instructions"),
        prompt: expect.stringContaining("<conversation>\n[opener]\nfix it\n</conversation>"),
      }),
    ]);
  });

  it.each<[string, readonly Reply[], string]>([
    ["no JSON", ["I cannot", JSON.stringify(GOOD)], "there is no complete JSON object in the answer"],
    ["a wrong topic", ['{"topic":"fun"}', JSON.stringify(GOOD)], `"topic" is "fun"; it must be one of coding`],
  ])(
    "CL-21 after %s the classifier retries once and says what was wrong; both requests are charged",
    async (_, replies, wrong) => {
      const models = scripted(...replies);
      expect(await classifyWithModel(models, QUESTION)).toEqual({ classification: GOOD, usage: TWICE });
      expect(models.asked[0]?.prompt).not.toContain("could not be used");
      expect(models.asked[1]?.prompt).toContain(`Your last answer could not be used: ${wrong}`);
    },
  );

  it("CL-21 after a model error the classifier repeats the same request once", async () => {
    const models = scripted(new Error("HTTP 500"), JSON.stringify(GOOD));
    expect(await classifyWithModel(models, QUESTION)).toEqual({ classification: GOOD, usage: ONCE });
    expect(models.asked[1]?.prompt).toBe(models.asked[0]?.prompt);
  });

  it.each<[string, readonly Reply[], { code: string; message: string }, object]>([
    [
      "two useless answers",
      ["", "no"],
      { code: "classify-unreadable", message: "there is no complete JSON object in the answer" },
      TWICE,
    ],
    [
      "two errors",
      [new Error("down"), new Error("still down")],
      { code: "classify-model-error", message: "still down" },
      {},
    ],
    [
      "an error, then nonsense",
      [new Error("down"), "no"],
      { code: "classify-unreadable", message: "there is no complete JSON object in the answer" },
      ONCE,
    ],
    // A port of the host's own may be wrong about its types.
    [
      "no text at all",
      [async () => ({}) as ModelAnswer, async () => ({}) as ModelAnswer],
      { code: "classify-model-error", message: "the model port returned no text" },
      {},
    ],
  ])("CL-22 %s are a fault after exactly two tries", async (_, replies, fault, usage) => {
    const models = scripted(...replies, JSON.stringify(GOOD));
    expect(await classifyWithModel(models, QUESTION)).toEqual({ fault, usage });
    expect(models.asked).toHaveLength(2);
  });

  it("CL-23 a model that never answers times out, is aborted and is not retried", async () => {
    const models = scripted(() => new Promise(() => {}));
    const outcome = await classifyWithModel(models, { ...QUESTION, timeoutMs: 5 });
    expect(outcome).toEqual({
      fault: { code: "classify-timeout", message: "p/small took longer than 5 ms" },
      usage: {},
    });
    expect(models.asked).toHaveLength(1);
    expect(models.asked[0]?.signal?.aborted).toBe(true);
  });

  it("CL-24 a classification can be cancelled before and while it runs", async () => {
    const off = { fault: { code: "classify-aborted", message: "it was cancelled" }, usage: {} };
    const unasked = scripted();
    expect(await classifyWithModel(unasked, { ...QUESTION, signal: AbortSignal.abort() })).toEqual(off);
    expect(unasked.asked).toHaveLength(0);

    const controller = new AbortController();
    const models = scripted(() => {
      controller.abort();
      return new Promise(() => {});
    });
    expect(await classifyWithModel(models, { ...QUESTION, signal: controller.signal })).toEqual(off);
    expect(models.asked).toHaveLength(1);
  });
});

describe("resolveLabels", () => {
  it.each<[SessionLabels | undefined, object]>([
    [undefined, { kind: "off" }],
    [{ enabled: false, model: "p/m" }, { kind: "off" }],
    [{ enabled: true, model: "local/rules" }, { kind: "local" }],
    [
      { enabled: true, model: "p/m" },
      { kind: "model", model: "p/m" },
    ],
    [
      { enabled: true, model: " openrouter/meta/llama " },
      { kind: "model", model: "openrouter/meta/llama" },
    ],
    [{ enabled: true }, { kind: "skipped", warning: expect.stringContaining("is enabled but has no model") }],
    [
      { enabled: true, model: "haiku" },
      { kind: "skipped", warning: expect.stringContaining('"haiku" is not of the form provider/model') },
    ],
    [
      { enabled: true, model: "/m" },
      { kind: "skipped", warning: expect.stringContaining("not of the form") },
    ],
    [
      { enabled: true, model: "p/" },
      { kind: "skipped", warning: expect.stringContaining("not of the form") },
    ],
    [
      { enabled: true, model: "a b/c" },
      { kind: "skipped", warning: expect.stringContaining("not of the form") },
    ],
    [
      { enabled: true, model: "local/rule" },
      { kind: "skipped", warning: expect.stringContaining('no local classifier "local/rule"') },
    ],
  ])("CL-25 the label settings %j resolve to %j", (labels, resolved) => {
    expect(resolveLabels(labels)).toEqual(resolved);
  });

  it("CL-25 the warning about labels without a model says how to fix it", () => {
    expect(resolveLabels({ enabled: true })).toMatchObject({
      warning: expect.stringMatching(/Set sessionLabels\.model .* local\/rules/),
    });
  });
});
