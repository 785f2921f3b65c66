import { expect, it } from "vitest";
import type { CallInput } from "../../../../base/words/call.ts";
import { ReadBeforeWritePolicy } from "../../../../behavior/policy/builtin/read-before-write-policy.ts";
import type { AgentInput } from "../../../../engine/agent/define-agent.ts";
import { replaceMoments } from "../../../../engine/session/session-moments.ts";
import { testConduct } from "../../../../engine/session/test/test-conduct.ts";
import { guardTools } from "./guard-tools.ts";

const refunds: Partial<AgentInput> = {
  policies: [
    {
      name: "small-refunds",
      rewrites: true,
      check({ tool, args }) {
        if (tool === "refund" && Number(args.amount) > 100) {
          return { kind: "deny", reason: "Too much.", missing: [], next: "Ask for less." };
        }
        if (args.amount === 13) return { kind: "rules", findings: [], input: { ...args, amount: 12 } };
        return { kind: "allow" };
      },
    },
  ],
};

function outcomes(events: ReturnType<typeof testConduct>["events"]) {
  return events.flatMap((event) => (event.type === "result" ? [event.outcome] : []));
}

it("GDT-1 a denied call does not run and returns the reason; an allowed one returns its own value", async () => {
  const { open, events } = testConduct(refunds);
  const ran: number[] = [];
  const receipt = { paid: true };
  const tools = guardTools(open(), {
    refund: ({ amount }: { amount: number }) => {
      ran.push(amount);
      return receipt;
    },
  });
  expect(await tools.refund({ amount: 250 })).toContain("Denied by small-refunds: Too much.");
  expect(await tools.refund({ amount: 13 })).toBe(receipt);
  expect(ran).toEqual([12]);
  expect(outcomes(events)).toEqual(["ok"]);
});

it.each([
  {
    ends: "throws",
    tool: () => {
      throw new Error("no connection");
    },
    outcome: "failed",
  },
  { ends: "reports an exit code", tool: () => ({ exitCode: 3, stdout: "one failed" }), outcome: "failed" },
  { ends: "was killed", tool: () => ({ exitCode: null, stdout: "" }), outcome: "failed" },
  {
    ends: "is an MCP error",
    tool: () => ({ isError: true, content: [{ type: "text", text: "no" }] }),
    outcome: "failed",
  },
  { ends: "returns nothing", tool: () => undefined, outcome: "ok" },
  { ends: "returns exit code 0", tool: () => ({ exitCode: 0 }), outcome: "ok" },
])("GDT-2 the outcome of a tool that $ends is $outcome", async ({ tool, outcome }) => {
  const { open, events } = testConduct();
  await guardTools(open(), { look: tool })
    .look()
    .catch((error: Error) => expect(error.message).toBe("no connection"));
  expect(outcomes(events)).toEqual([outcome]);
});

it("GDT-3 a long result comes back shortened, and so does the text of an error", async () => {
  const { open } = testConduct({ limits: { window: 2_000 } });
  const long = "word ".repeat(5_000);
  const tools = guardTools(open(), {
    read: () => long,
    fail: () => {
      throw new Error(long);
    },
  });
  expect(await tools.read()).toContain("Output truncated");
  await expect(tools.fail()).rejects.toThrow("Output truncated");
});

it("GDT-4 if the session fails, the tool does not run and the model reads why; a result is withheld", async () => {
  const { open } = testConduct();
  const session = open();
  const broken = () => Promise.reject(new Error("the store is gone"));
  let ran = 0;
  const tools = { look: () => `seen ${++ran}` };
  const undecided = guardTools(replaceMoments(session, { decide: broken }), tools);
  expect(await undecided.look()).toMatch(/^Denied by conduct: .*the store is gone/);
  expect(ran).toBe(0);
  const unchecked = guardTools(replaceMoments(session, { onResult: broken }), tools);
  const text = await unchecked.look();
  expect(text).toContain("withholds its result: the store is gone");
  expect(text).not.toContain("seen");
});

it("GDT-5 a session that never answers refuses the call after the limit", async () => {
  const { open } = testConduct();
  let ran = false;
  const silent = replaceMoments(open(), { decide: () => new Promise(() => {}) });
  const tools = guardTools(silent, { look: () => (ran = true) }, { waitMs: 1 });
  expect(await tools.look()).toContain("has not answered");
  expect(ran).toBe(false);
});

it.each([
  { loop: "calls that overlap are one response: the write does not count on the read", options: {}, ok: "denied" },
  {
    loop: "a loop can name the response of each call",
    options: { step: (...[, step]: readonly unknown[]) => String(step) },
    ok: "wrote",
  },
])("GDT-6 $loop", async ({ options, ok }) => {
  const { open, files } = testConduct({ policies: [new ReadBeforeWritePolicy()] });
  files.set("/w/a.txt", "old");
  const seen: CallInput[] = [];
  const session = open();
  const watched = replaceMoments(session, {
    decide: (call, wait) => {
      seen.push(call);
      return session.decide(call, wait);
    },
  });
  const tools = guardTools(
    watched,
    {
      read_file: async (_: { path: string }, _id?: string, _step?: string) => "old",
      write_file: async (_: { path: string; content: string }, _id?: string, _step?: string) => "wrote",
    },
    options,
  );
  const reading = tools.read_file({ path: "a.txt" }, "r", "one");
  if (ok === "wrote") await reading;
  const wrote = await tools.write_file({ path: "a.txt", content: "new" }, "w", "two");
  await reading;
  expect(wrote).toContain(ok === "wrote" ? "wrote" : "must be read before overwriting");
  expect(new Set(seen.map(({ step }) => step)).size).toBe(ok === "wrote" ? 2 : 1);
});

it("GDT-7 a person who is asked decides, and what they may not see never runs", async () => {
  const { open } = testConduct({
    policies: [{ name: "ask-first", check: () => ({ kind: "ask", question: "May it pay?" }) }],
  });
  let paid = 0;
  const answers = ["yes", "no"] as const;
  const tools = guardTools(
    open(),
    { pay: () => `paid ${++paid}` },
    { ask: async () => ({ answer: answers[paid] ?? "no", by: "ann" }) },
  );
  expect(await tools.pay()).toBe("paid 1");
  expect(await tools.pay()).toContain("A person denied this");
  expect(paid).toBe(1);
});

it("GDT-8 bash is the shell of the rules, and mcp__server__name a tool of that server", async () => {
  const { open, events } = testConduct();
  const tools = guardTools(open(), { bash: (_: object) => "", mcp__shop__erase: () => "", find_customer: () => "" });
  await tools.bash({ command: ["sh", "-c", "npm test"] });
  await tools.mcp__shop__erase();
  await tools.find_customer();
  const calls = events.flatMap((event) => (event.type === "call" ? [[event.call.tool, event.call.args]] : []));
  expect(calls).toEqual([
    ["shell", { command: "npm test" }],
    ["shop/erase", {}],
    ["find_customer", {}],
  ]);
});

it("GDT-9 wrong options are one clear error", () => {
  const { open } = testConduct();
  expect(() => guardTools(open(), { look: 7 } as never)).toThrow("'tools.look'");
  expect(() => guardTools(open(), {}, { approver: () => undefined } as never)).toThrow("there is no option 'approver'");
});
