import { expect, it } from "vitest";
import type { Approver } from "../../base/ports/approver.ts";
import type { ToolPolicy } from "../../base/words/policy.ts";
import { testConduct } from "../../engine/session/test/test-conduct.ts";
import { type LoopCall, type LoopMessage, runScriptedLoop } from "./scripted-loop.ts";

const asks: ToolPolicy = { name: "asks", check: () => ({ kind: "ask", question: "May it?" }) };

/** One call of `pay`, and what the model reads of it. */
async function pay(policies: readonly ToolPolicy[], approver?: Approver) {
  const { open } = testConduct({ policies }, approver === undefined ? {} : { approver });
  const ran: unknown[] = [];
  const calls: LoopCall[] = [{ id: "c1", tool: "pay", args: { amount: 7 } }];
  const { messages } = await runScriptedLoop({
    session: open(),
    message: "pay it",
    model: ({ messages: seen }) => (seen.length === 1 ? { calls } : { text: "Done." }),
    tools: {
      pay: (args) => {
        ran.push(args);
        return { outcome: "ok", parts: [{ kind: "text", text: "paid" }] };
      },
    },
  });
  const text = messages.flatMap((message) => (message.role === "result" ? [message.text] : [])).join();
  return { ran, text };
}

it.each<[string, Approver | undefined, number, string]>([
  ["nobody is there", undefined, 0, "Waiting for a person's approval"],
  ["nobody answers", { ask: async () => undefined }, 0, "Waiting for a person's approval"],
  ["a person says no", { ask: async () => ({ answer: "no", by: "ann" }) }, 0, "A person denied this"],
  ["a person says yes", { ask: async () => ({ answer: "yes", by: "ann" }) }, 1, "paid"],
])("LP-1 a call with a question runs only after a yes: %s", async (_who, approver, times, says) => {
  const { ran, text } = await pay([asks], approver);
  expect(ran).toHaveLength(times);
  expect(text).toContain(says);
});

it("LP-2 a call runs with the arguments that rules rewrote", async () => {
  const capped: ToolPolicy = {
    name: "capped",
    rewrites: true,
    check: () => ({ kind: "rules", findings: [], input: { amount: 5 } }),
  };
  expect((await pay([capped])).ran).toEqual([{ amount: 5 }]);
});

it("LP-3 a message for Conduct alone is answered without the model, and the next turn has the earlier conversation", async () => {
  const session = testConduct().open();
  const seen: string[] = [];
  const say = (message: string, history?: readonly LoopMessage[]) =>
    runScriptedLoop({
      session,
      message,
      history,
      tools: {},
      model: ({ messages }) => {
        seen.push(messages.map(({ role }) => role).join());
        return { text: "Done." };
      },
    });
  const first = await say("hello");
  const switched = await say("/verbose on", first.messages);
  expect(switched).toEqual({ messages: first.messages, status: "answered", shown: ["verbose: on"] });
  const last = await say("go on", switched.messages);
  expect(last.status).toBe("complete");
  expect(seen).toEqual(["user", "user,assistant,user"]);
});

it("LP-4 verbose output for the person never reaches the model", async () => {
  const { open } = testConduct();
  const requests: string[] = [];
  const { shown } = await runScriptedLoop({
    session: open(),
    message: "/verbose pay it",
    tools: { pay: () => ({ outcome: "ok", parts: [{ kind: "text", text: "paid" }] }) },
    model: (request) => {
      requests.push(JSON.stringify(request));
      return requests.length === 1 ? { calls: [{ id: "c1", tool: "pay", args: {} }] } : { text: "Done." };
    },
  });
  expect(shown.join()).toContain("[DEBUG] Tool: pay");
  for (const request of requests) expect(request).not.toMatch(/DEBUG|\/verbose/);
});
