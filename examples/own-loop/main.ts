/** An agent loop of your own, with a policy and a completion check written in code. Run: npm start */
import { defineAgent, openConduct, type ToolResult } from "agent-conduct";
import { incomplete, ok } from "agent-conduct/completion";
import { renderDenial, renderQuestion, type ToolPolicy } from "agent-conduct/policies";

/** Large refunds are only for customers that were looked up. The state lists those customers. */
const lookUpFirst: ToolPolicy<readonly string[]> = {
  name: "look-up-first",
  initial: [],
  check({ tool, args }, { state }) {
    const customer = String(args.customer);
    if (tool !== "refund" || Number(args.amount) <= 100 || state.includes(customer)) return { kind: "allow" };
    return {
      kind: "deny",
      reason: `Look up ${customer} before a refund of ${args.amount}.`,
      missing: [{ what: `find_customer ${customer}`, why: "not called in this session" }],
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

type Call = { id: string; tool: string; args: { customer: string; amount?: number } };
type Reply = { text?: string; calls?: Call[] };

/** Replace this with a request to your model. It gets the system prompt and the messages so far. */
const replies: Reply[] = [
  { calls: [{ id: "1", tool: "refund", args: { customer: "ada", amount: 250 } }] },
  { calls: [{ id: "2", tool: "find_customer", args: { customer: "ada" } }] },
  { text: "All done!" },
  { calls: [{ id: "3", tool: "refund", args: { customer: "ada", amount: 250 } }] },
  { text: "Refunded." },
];
const model = async (_system: string, _messages: string[]): Promise<Reply> => replies.shift() ?? { text: "Done." };

/** Replace these with your tools. */
const tools: Record<string, (args: Call["args"]) => string> = {
  find_customer: ({ customer }) => `${customer}, customer since 2019`,
  refund: ({ amount }) => `refunded ${amount}`,
};

const conduct = openConduct({ agents: [support] });
const session = conduct.session({ agent: "support", user: "me", channel: "web" });
const messages: string[] = [];
const say = (line: string) => {
  messages.push(line);
  console.log(line);
};

// 1. message
const { text, reply } = await session.onMessage({ text: "I want my money back. I am Ada." });
if (reply === undefined) await runTurn(text);
else say(`conduct:   ${reply}`);
await conduct.close();

async function runTurn(message: string): Promise<void> {
  say(`user:      ${message}`);
  // 2. prompt
  const prompt = await session.onPrompt({ tools: Object.keys(tools) });
  for (;;) {
    const { text = "", calls = [] } = await model(prompt.text, messages);
    say(`assistant: ${[text, ...calls.map(({ tool }) => `[${tool}]`)].join(" ").trim()}`);
    for (const call of calls) {
      const { text, endTurn } = await runCall(call);
      say(`result:    ${text.replaceAll("\n", "\n           ")}`);
      if (endTurn) return;
    }
    session.notice({ kind: "step-closed" });
    if (calls.length > 0) continue;
    // 5. stop
    const stop = await session.onStop({ reason: "end_turn", output: text });
    if (stop.done) return say(`ended:     ${stop.status}`);
    say(`user:      ${stop.feedback}`);
  }
}

async function runCall(call: Call): Promise<{ text: string; endTurn: boolean }> {
  // 3. call
  const decision = await session.decide({ ...call, step: `of message ${messages.length}` });
  if (decision.kind === "deny") return { text: renderDenial(decision), endTurn: decision.endTurn };
  if (decision.kind === "ask") {
    await session.onResult(call, { outcome: "cancelled", parts: [] });
    return { text: renderQuestion(decision), endTurn: false };
  }
  // 4. result
  const { result, feedback = "" } = await session.onResult(call, useTool(call));
  const parts = result.parts.map((part) => (part.kind === "text" ? part.text : JSON.stringify(part)));
  return { text: [...parts, feedback].join("\n").trim(), endTurn: false };
}

function useTool({ tool, args }: Call): ToolResult {
  try {
    return { outcome: "ok", parts: [{ kind: "text", text: tools[tool]?.(args) ?? `No tool ${tool}` }] };
  } catch (error) {
    return { outcome: "failed", parts: [{ kind: "text", text: String(error) }] };
  }
}
