/** An agent defined in code, with a policy of its own. Run: npm exec -- node examples/typescript/main.ts */
import type { ToolPolicy } from "../../src/base/words/policy.ts";
import { incomplete, ok } from "../../src/behavior/completion/decide-stop.ts";
import { openConduct } from "../../src/edge/host/opening/open-conduct.ts";
import { defineAgent } from "../../src/engine/agent/define-agent.ts";
import { type LoopReply, runScriptedLoop } from "../../src/testing/loop/scripted-loop.ts";

/** Refunds above 100 only for customers that were looked up before; its state is the list of those. */
const lookUpFirst: ToolPolicy<readonly string[]> = {
  name: "look-up-first",
  initial: [],
  check({ tool, args }, { state }) {
    const customer = String(args.customer);
    if (tool !== "refund" || Number(args.amount) <= 100 || state.includes(customer)) return { kind: "allow" };
    return {
      kind: "deny",
      reason: `A refund of ${args.amount} needs a look at ${customer} first.`,
      missing: [{ what: `find_customer ${customer}`, why: "not looked up in this session" }],
      next: `Call find_customer with ${customer}, then repeat the refund.`,
    };
  },
  onResult: ({ tool, args }, _, { state }) => (tool === "find_customer" ? [...state, String(args.customer)] : state),
};

const support = defineAgent({
  name: "support",
  sections: [{ heading: "Task", content: "Help customers with their orders." }],
  tools: [{ name: "find_customer" }, { name: "refund" }],
  policies: [lookUpFirst],
  completion: {
    check: ({ session }) => (session.evidence("refund") === undefined ? incomplete("Refund it first.") : ok()),
  },
});

// In place of a model: each line is one reply.
const script: LoopReply[] = [
  { calls: [{ id: "1", tool: "refund", args: { customer: "ada", amount: 250 } }] },
  { calls: [{ id: "2", tool: "find_customer", args: { customer: "ada" } }] },
  { text: "All done!" },
  { calls: [{ id: "3", tool: "refund", args: { customer: "ada", amount: 250 } }] },
  { text: "Refunded." },
];

const conduct = openConduct({ agents: [support] });
const session = conduct.session({ agent: "support", user: "me", channel: "web" });
const { messages, status } = await runScriptedLoop({
  session,
  message: "I want my money back. I am Ada.",
  tools: {
    find_customer: ({ customer = null }) => ({
      outcome: "ok",
      parts: [{ kind: "json", value: { customer, since: 2019 } }],
    }),
    refund: ({ amount }) => ({ outcome: "ok", parts: [{ kind: "text", text: `refunded ${amount}` }] }),
  },
  model: () => script.shift() ?? { text: "Nothing more." },
});
for (const message of messages) {
  const calls = message.role === "assistant" ? message.calls.map(({ tool }) => `[${tool}]`) : [];
  console.log(
    `${message.role.padEnd(9)} ${[message.text, ...calls].join(" ").trim().replaceAll("\n", "\n          ")}`,
  );
}
console.log(`ended: ${status}`);
await conduct.close();
