import type { TokenCounter } from "../src/base/ports/token-counter.ts";
import type { SessionClassification } from "../src/base/words/classification.ts";
import type { PromptContributor } from "../src/base/words/prompt.ts";
import { loadTokenizer } from "../src/behavior/results/token-counter.ts";
import { openConductFromEnv } from "../src/edge/host/opening/open-conduct.ts";
import type { AgentInput } from "../src/engine/agent/define-agent.ts";
import { defineAgent } from "../src/engine/agent/define-agent.ts";

/** Messages of 50 turns: one subject for a while, with occasional asides, then another. */
const SUBJECTS = [
  "Fix the failing login test in src/auth/login.test.ts, it throws a TypeError",
  "Refactor the payment module across src/pay and src/billing into one service with tests",
  "Deploy the new version to the staging cluster and watch the logs",
  "Write the release notes for the last three changes",
];
const ASIDE = "Thanks, good work so far! How are you today?";

/** Returns the share of prompt tokens that differ from the previous turn: with stable order, and by priority alone. */
export async function stableShares(turns: number): Promise<{
  readonly ours: number;
  readonly byPriority: number;
  readonly tokens: number;
  /** How often the classifier gave another class, and how often the class in use changed. */
  readonly wobbles: number;
  readonly changes: number;
}> {
  const counter = await loadTokenizer();
  const ours = await play(turns, {}, counter);
  const byPriority = await play(turns, { layout: "priority" }, counter);
  return { ...ours, ours: ours.changed, byPriority: byPriority.changed };
}

async function play(turns: number, prompt: NonNullable<AgentInput["prompt"]>, counter: TokenCounter) {
  let now = Date.UTC(2026, 2, 6, 9, 5);
  const agent = defineAgent({
    name: "assistant",
    identity: { name: "Ada", description: "a personal assistant", vibe: "dry, precise" },
    soul: SOUL,
    contributors: CONTRIBUTORS,
    tools: ["read_file", "write_file", "shell", "search"].map((name) => ({ name })),
    sessionLabels: { enabled: true, model: "local/rules", every: 1 },
    prompt,
  });
  const conduct = openConductFromEnv({
    agents: [agent],
    journal: false,
    ports: { clock: { now: () => now, monotonic: () => now } },
  });
  const session = conduct.session({ agent: agent.name, user: "ann", channel: "web", zone: "Europe/London" });
  const [given, held]: [string[], string[]] = [[], []];
  conduct.subscribe((event) => {
    if (event.type !== "classification") return;
    given.push(classOf(event.classification));
    held.push(classOf(event.held));
  });
  let before = "";
  let [changed, all] = [0, 0];
  for (let turn = 0; turn < turns; turn++) {
    now += 60_000 * (1 + (turn % 7));
    const subject = SUBJECTS[Math.floor((turn * SUBJECTS.length) / turns)] ?? "";
    await session.onMessage({ text: turn % 5 === 4 ? ASIDE : subject });
    const { text, tokens } = await session.onPrompt();
    const same = before === "" ? tokens : counter.count(text.slice(0, commonLength(before, text)));
    if (before !== "") {
      changed += Math.max(0, tokens - same);
      all += tokens;
    }
    before = text;
  }
  return {
    changed: changed / all,
    tokens: Math.round(all / (turns - 1)),
    wobbles: countChanges(given),
    changes: countChanges(held),
  };
}

function classOf({ topic, complexity, domain, flags }: SessionClassification): string {
  return JSON.stringify([topic, complexity, [...domain].sort(), [...flags].sort()]);
}

function countChanges(values: readonly string[]): number {
  return values.filter((value, at) => at > 0 && value !== values[at - 1]).length;
}

function commonLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  for (let at = 0; at < most; at++) if (a.charCodeAt(at) !== b.charCodeAt(at)) return at;
  return most;
}

const SOUL = `Be useful first: answer, then explain if it helps. Skip pleasantries that carry nothing.
Look things up before you ask: memory, files, tools. Come back with answers rather than questions.
Be careful with what leaves the house (mail, deployments, payments) and bold with what stays inside (reading, searching, ordering).
When you do not know, say so. Never invent a source, a figure or a result.
Keep promises small and kept: say what you will do next, do it, say what came of it.`;

const rule = (id: string, dimension: "topic" | "complexity" | "domain" | "flag", value: string): PromptContributor => ({
  id,
  tags: [{ dimension, value }],
  contribute: () => ({
    heading: `When it is ${value}`,
    content: `Work the way ${value} work is done here.\n${"- Check the step before the next one, and note what you saw.\n".repeat(4)}`,
  }),
});

const CONTRIBUTORS: readonly PromptContributor[] = [
  ...["house-style", "tests", "reviews", "incidents", "customers", "language"].map(
    (id): PromptContributor => ({
      id,
      contribute: () => ({
        heading: id,
        content: `How we handle ${id}.\n${"- Prefer the small change that can be undone, and say why it is enough.\n".repeat(8)}`,
      }),
    }),
  ),
  rule("coding", "topic", "coding"),
  rule("debugging", "topic", "debugging"),
  rule("ops", "topic", "ops"),
  rule("creative", "topic", "creative"),
  rule("talk", "topic", "conversation"),
  rule("hard", "complexity", "hard"),
  rule("simple", "complexity", "simple"),
  rule("security", "domain", "security"),
  rule("testing", "domain", "testing"),
  rule("production", "flag", "production"),
];
