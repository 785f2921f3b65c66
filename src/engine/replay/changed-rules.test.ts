import { describe, expect, it } from "vitest";
import type { Outcome } from "../../base/words/call.ts";
import type { ConductEvent } from "../../base/words/event.ts";
import type { JsonObject } from "../../base/words/json.ts";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import { defineAgent } from "../agent/define-agent.ts";
import { parseRules } from "../agent/rules/parse-rules.ts";
import { redactWith } from "../journal/redact-event.ts";
import { testConduct } from "../session/test/test-conduct.ts";
import type { ReplayChange } from "./event-replayer.ts";
import { EventReplayer } from "./event-replayer.ts";
import { ReplayAgents } from "./replay-agents.ts";

const ACTIONS = `actions:
  test:   { tool: shell, command: "npm test *" }
  deploy: { tool: shell, command: "npm run deploy *" }
  ship:   { tool: shell, command: "npm run ship *" }
`;

function ruleSet(rules: string, file = "new.yaml") {
  const parsed = parseRules(`${ACTIONS}${rules === "" ? "" : `rules:\n${rules}\n`}`, file);
  if ("faults" in parsed) throw new Error(JSON.stringify(parsed.faults));
  return parsed.ruleSet;
}

type Played = {
  readonly tool?: string;
  readonly args: JsonObject;
  readonly outcome?: Outcome;
  readonly answer?: "yes" | "no";
  readonly before?: (world: ReturnType<typeof testConduct>) => void;
};

const sh = (command: string, more: Partial<Played> = {}): Played => ({ args: { command }, ...more });

/** What was recorded under the old rules. */
async function record(
  old: string,
  calls: readonly Played[],
  enforcement: "enforce" | "shadow" = "enforce",
): Promise<readonly ConductEvent[]> {
  const set = ruleSet(old, "old.yaml");
  const world = testConduct({ actions: set.actions, policies: [new RulesPolicy(set)] });
  const session = world.open({ id: "s", channel: "web", enforcement });
  await session.onMessage({ text: "go" });
  for (const [at, { tool = "shell", args, outcome = "ok", answer, before }] of calls.entries()) {
    before?.(world);
    world.pass(1_000);
    const call = { id: `c${at}`, tool, args };
    const decision = await session.onCall(call);
    if (decision.kind === "ask" && answer !== undefined) session.resolve(decision.approval, answer, "ann");
    if (decision.kind === "allow") await session.onResult(call, { outcome, parts: [] });
  }
  const redact = redactWith(new Uint8Array(32));
  return world.events.map((event) => redact(event));
}

function replay(events: readonly ConductEvent[], rules: string): readonly ReplayChange[] {
  const agents = new ReplayAgents([defineAgent({ name: "agent" })], { how: "replace", ruleSet: ruleSet(rules) });
  return new EventReplayer(agents).replay(events).changes;
}

/** A change in a few words: which call, what becomes of it, why. */
function told(changes: readonly ReplayChange[]): readonly string[] {
  const calls = new Map(changes.map(({ decision, call }) => [decision, call]));
  return changes.map((one) => {
    const follows = one.follows === undefined ? "" : ` < ${calls.get(one.follows)}`;
    if (one.kind === "cannot-tell") return `${one.call} cannot-tell ${one.code}${follows}`;
    const causes = one.causes.map((cause) => {
      if (cause.kind === "rewrite") return `rewrite ${cause.now}`;
      const place = "place" in cause && cause.place !== undefined ? ` ${cause.place.file}:${cause.place.line}` : "";
      const missing = cause.kind === "objects" ? cause.missing.map(({ what }) => ` needs ${what}`).join("") : "";
      return `${cause.kind} ${cause.rule}${place}${missing}`;
    });
    return `${one.call} ${one.kind}: ${causes.join(", ")}${follows}`;
  });
}

const PROOF = "  - { id: proof, on: deploy, require: test }";

describe("changed rules", () => {
  it.each<{ name: string; old: string; calls: readonly Played[]; rules: string; changes: readonly string[] }>([
    {
      name: "a rule that newly objects, with what it misses and where it stands",
      old: "",
      calls: [sh("npm run deploy"), sh("npm test"), sh("npm run deploy")],
      rules: PROOF,
      changes: ["c0 newly-denied: objects proof new.yaml:6 needs test"],
    },
    {
      name: "a rule that is gone",
      old: PROOF,
      calls: [sh("npm run deploy"), sh("npm test"), sh("npm run deploy")],
      rules: "",
      changes: ["c0 no-longer-denied: silent proof old.yaml:6"],
    },
    {
      name: "evidence of a call that would be denied is gone: what needed it follows",
      old: "",
      calls: [sh("npm test"), sh("npm run deploy"), sh("npm run ship")],
      rules:
        "  - { id: no-tests, on: test }\n  - { id: proof, on: deploy, require: ship, effect: warn }\n  - { id: ship-needs, on: ship, require: { any: [{ call: test }, { call: write_file }] } }",
      changes: [
        "c0 newly-denied: objects no-tests new.yaml:6",
        "c1 otherwise: objects proof new.yaml:7",
        "c2 newly-denied: objects ship-needs new.yaml:8 needs test or write_file < c0",
      ],
    },
    {
      name: "what a call would have come to that was denied then is not known: what needs it cannot be told",
      old: `  - { id: no-tests, on: test, when: "args.command != 'x'" }\n  - { id: proof, on: deploy, require: test }`,
      calls: [sh("npm test"), sh("npm run deploy"), sh("npm run ship")],
      rules: PROOF,
      changes: ["c0 no-longer-denied: silent no-tests old.yaml:6", "c1 cannot-tell outcome < c0"],
    },
    {
      name: "another effect of the same rule",
      old: PROOF,
      calls: [sh("npm run deploy")],
      rules: "  - { id: proof, on: deploy, require: test, effect: ask }",
      changes: ["c0 no-longer-denied: effect proof new.yaml:6"],
    },
    {
      name: "newly asked: it went on as it did, or was refused, and what rests on that cannot be told",
      old: "",
      calls: [sh("npm test"), sh("npm run deploy")],
      rules: "  - { id: careful, on: test, effect: ask }\n  - { id: proof, on: deploy, require: test }",
      changes: ["c0 newly-asked: objects careful new.yaml:6", "c1 cannot-tell outcome < c0"],
    },
    {
      name: "no longer asked",
      old: "  - { id: careful, on: test, effect: ask }",
      calls: [sh("npm test", { answer: "yes" }), sh("npm test")],
      rules: "",
      changes: ["c0 no-longer-asked: silent careful old.yaml:6"],
    },
    {
      name: "a rule that asked and is gone, also where a person said no",
      old: "  - { id: careful, on: test, effect: ask }",
      calls: [sh("npm test", { answer: "no" }), sh("npm test")],
      rules: "",
      changes: ["c0 no-longer-asked: silent careful old.yaml:6", "c1 no-longer-denied: silent careful"],
    },
    {
      name: "advice, rewritten arguments and shadows are told too",
      old: "",
      calls: [sh("npm test"), sh("npm run deploy"), sh("npm run ship")],
      rules:
        "  - { id: hint, on: test, effect: remind }\n  - { id: slow, on: deploy, set: { timeout: 60 } }\n  - { id: later, on: ship, effect: shadow }",
      changes: [
        "c0 otherwise: objects hint new.yaml:6",
        "c1 otherwise: rewrite other",
        "c2 otherwise: objects later new.yaml:8",
      ],
    },
    {
      name: "a rule that looks into a secret",
      old: "",
      calls: [
        { tool: "login", args: { user: "ann", password: "hunter2hunter2" } },
        { tool: "login", args: { user: "ann" } },
      ],
      rules:
        '  - { id: strong, on: login, when: "size(args.password) < 8" }\n  - { id: who, on: login, when: "args.user == \'bob\'" }',
      changes: ["c0 cannot-tell redacted", "c1 newly-denied: objects strong new.yaml:6"],
    },
    {
      name: "a call that was too large to be kept, and a command of which the telling part was cut",
      old: "",
      calls: [
        {
          tool: "login",
          args: Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`a${at}`, "x".repeat(8_000)])),
        },
        sh(`cd x${" ".repeat(9_000)}&& npm run deploy`),
      ],
      rules: "  - { id: never, on: login }\n  - { id: proof, on: deploy, require: test }",
      changes: ["c0 cannot-tell redacted", "c1 cannot-tell redacted"],
    },
    {
      name: "a file that nobody looked at",
      old: "",
      calls: [
        { tool: "publish", args: { notes: "notes.md" } },
        { tool: "publish", args: {} },
      ],
      rules: '  - { id: notes, on: publish, unless: "fileExists(args.notes)" }',
      changes: ["c0 cannot-tell fact", "c1 newly-denied: objects notes new.yaml:6"],
    },
    {
      name: "a file that would not have been written",
      old: "",
      calls: [
        { tool: "write_file", args: { path: "a" }, before: ({ files }) => void files.set("/w/a", "one") },
        { tool: "read_file", args: { path: "a" }, before: ({ files }) => void files.set("/w/a", "two") },
        { tool: "edit_file", args: { path: "a" } },
      ],
      rules: "  - { id: fresh, on: [write_file, edit_file], require: { call: read_file, same: [path], fresh: true } }",
      changes: ["c0 newly-denied: objects fresh new.yaml:6 needs read a", "c2 cannot-tell fact < c0"],
    },
    {
      name: "attempts are counted in the course that things would have taken",
      old: "",
      calls: Array.from({ length: 6 }, () => sh("npm run deploy")),
      rules: PROOF,
      changes: Array.from({ length: 6 }, (_, at) => `c${at} newly-denied: objects proof new.yaml:6 needs test`),
    },
  ])(
    "RP-2 a replay under changed rules reports the changed and unknown decisions: $name",
    async ({ old, calls, rules, changes }) => {
      const events = await record(old, calls);
      expect(told(replay(events, rules))).toEqual(changes);
      expect(told(replay(events, old).filter(({ kind }) => kind !== "cannot-tell"))).toEqual([]);
    },
  );

  it("RP-3 for a session in shadow mode, the replay reports what would have been recorded", async () => {
    const events = await record("", [sh("npm run deploy"), sh("npm test"), sh("npm run deploy")], "shadow");
    expect(told(replay(events, PROOF))).toEqual(["c0 otherwise: objects proof new.yaml:6"]);
  });

  it("RP-4 where events are missing, different decisions are reported as unknown", async () => {
    const events = await record("", [sh("npm test"), sh("npm run deploy")]);
    const cut = events.filter((event) => event.type !== "result");
    expect(told(replay(cut, PROOF))).toEqual(["c1 cannot-tell history"]);
    expect(told(replay(events, PROOF))).toEqual([]);
  });

  it("RP-5 a replay reports only calls in the window, but replays earlier ones too", async () => {
    const events = await record("", [sh("npm test"), sh("npm run deploy"), sh("npm run ship")]);
    const agents = new ReplayAgents([], { how: "replace", ruleSet: ruleSet(`${PROOF}\n  - { id: never, on: ship }`) });
    const last = events.findLast(({ type }) => type === "call")?.at ?? 0;
    const { calls, changes } = new EventReplayer(agents).replay(events, { since: last });
    expect(calls).toBe(1);
    expect(told(changes)).toEqual(["c2 newly-denied: objects never new.yaml:7"]);
    expect(new EventReplayer(agents).replay(events, { until: last - 1 }).changes).toEqual([]);
  });

  it("RP-6 in a replay added rules apply next to the agent's own and replace those with the same id", async () => {
    const events = await record(PROOF, [sh("npm run deploy"), sh("npm run ship")]);
    const set = ruleSet(PROOF, "old.yaml");
    const own = defineAgent({ name: "agent", actions: set.actions, policies: [new RulesPolicy(set)] });
    const add = (rules: string) =>
      told(new EventReplayer(new ReplayAgents([own], { how: "add", ruleSet: ruleSet(rules) })).replay(events).changes);
    expect(add("  - { id: never, on: ship }")).toEqual(["c1 newly-denied: objects never new.yaml:6"]);
    expect(add("  - { id: proof, on: deploy, require: test, effect: warn }")).toEqual([
      "c0 no-longer-denied: effect proof new.yaml:6",
    ]);
  });

  it("RP-7 a replay reports decisions of a missing or failed policy in code as unknown", async () => {
    const stern = { name: "stern", check: () => ({ kind: "deny", reason: "no" }) as const };
    const broken = {
      name: "broken",
      check: () => {
        throw new Error("it fell over");
      },
    };
    for (const [policy, code] of [
      [stern, "policy"],
      [broken, "policy-failed"],
    ] as const) {
      const { open, events } = testConduct({ policies: [policy] });
      await open({ id: "s" }).onCall({ id: "c0", tool: "x", args: {} });
      expect(told(replay(events, ""))).toEqual([`c0 cannot-tell ${code}`]);
    }
  });
});
