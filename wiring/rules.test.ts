import { afterAll, beforeAll, describe, expect } from "vitest";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { type Gateway, Machine, type PlayedCall } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
let model: ModelServer;
let gateway: Gateway;

const FILES = `
      - { name: read_file, args: [path] }
      - { name: write_file, args: [path, content] }
      - { name: shell, args: [command] }`;

const CONFIG = (url: string) => `
agents:
  defaults:
    model: own/scripted
    tools: ${FILES}
  plain: {}
  ruled:
    actions:
      check: { tool: shell, command: "echo check *", implies: [checked] }
      ship: { tool: shell, command: "echo ship *" }
    programs:
      launch: { does: { deploys.run: {} } }
    rules:
      - { id: ship-needs-check, on: ship, require: checked, why: Nobody ships blind., say: "Run the check before {{args.command}}." }
      - { id: no-launch, on: deploys.run, say: Launching is for people. }
      - { id: no-secret, on: write_file, when: 'args.path.endsWith(".key")', unless: 'args.content == "public"', say: Keys stay out. }
      - { id: twice, on: read_file, atMost: { count: 1, per: [path] }, say: Read it once. }
      - { id: all-of-shell, on: shell, when: 'args.command == "echo all"', require: { all: [{ call: checked }, { call: read_file }] }, say: All of them first. }
      - { id: any-of-shell, on: shell, when: 'args.command == "echo any"', require: { any: [checked, read_file] }, say: One of them first. }
      - { id: not-after, on: shell, when: 'args.command == "echo not"', require: { not: checked }, say: Not after a check. }
      - { id: same-path, on: write_file, when: 'args.path == "same.txt" && args.content != "new"', require: { call: read_file, same: { path: path }, fresh: true }, say: Read the same file. }
      - { id: recent, on: shell, when: 'args.command == "echo recent"', require: { call: checked, within: 1ms }, say: Too long ago. }
      - { id: after, on: shell, when: 'args.command == "echo since"', require: { call: checked, since: write_file }, say: Check after writing. }
      - { id: where, on: shell, when: 'args.command == "echo where"', require: { call: read_file, where: 'args.path == "right.txt"' }, say: Read the right file. }
      - { id: tried, on: shell, when: 'args.command == "echo tried"', require: { call: read_file, counts: allowed }, say: Try to read. }
      - { id: quiet, on: shell, when: 'args.command == "echo loud"', set: { command: echo quiet } }
  seeded:
    rules:
      - { toolName: write_file, requiredPrior: [read_file], blockMessage: Look before you write. }
  gentle:
    rules:
      - { pack: ./pack, level: gentle, off: [second], shadow: [fifth], except: { third: 'args.command == "echo third spared"' }, patterns: { word: "^echo mine" } }
  strict:
    rules: [{ pack: ./pack, level: strict }]
  standard:
    rules: [./pack]
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
`;

const PACK = `
patterns: { word: "^echo yours" }
rules:
  - { id: first, on: shell, when: 'args.command == "echo first"', effect: { gentle: warn, standard: deny, strict: deny }, say: First of the pack. }
  - { id: second, on: shell, when: 'args.command == "echo second"', effect: { gentle: deny, standard: deny, strict: deny }, say: Second of the pack. }
  - { id: third, on: shell, when: 'args.command.startsWith("echo third")', effect: { gentle: deny, standard: warn, strict: deny }, say: Third of the pack. }
  - { id: fourth, on: shell, when: 'args.command.matches(patterns.word)', effect: { gentle: deny, standard: deny, strict: deny }, say: Fourth of the pack. }
  - { id: fifth, on: shell, when: 'args.command == "echo fifth"', effect: { gentle: deny, standard: deny, strict: deny }, say: Fifth of the pack. }
`;

beforeAll(async () => {
  model = await machine.model();
  machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl), ".conduct/pack/rules.yaml": PACK });
  gateway = await machine.gateway();
});
afterAll(() => machine.close());

const shell = (command: string): PlayedCall => ["shell", { command }];
const read = (path: string): PlayedCall => ["read_file", { path }];
const write = (path: string, content = "x"): PlayedCall => ["write_file", { path, content }];
const play = (agent: string, ...calls: readonly PlayedCall[]) => gateway.play(model, agent, calls);

/** Which of the calls were denied with this text. */
async function denied(text: string, agent: string, ...calls: readonly PlayedCall[]): Promise<readonly boolean[]> {
  return (await play(agent, ...calls)).map((result) => result.includes(text));
}

describe("rules of conduct.yaml, on the calls of the gateway's model", () => {
  wired(
    [
      "agents.*.rules",
      "agents.*.rules[].id",
      "agents.*.rules[].on",
      "agents.*.rules[].require",
      "agents.*.rules[].say",
      "agents.*.actions",
      "agents.*.actions.*.tool",
      "agents.*.actions.*.command",
      "agents.*.actions.*.implies",
    ],
    "WIR-20 an action needs the fact that another action implies, and the denial is the rule's own text",
    async () => {
      const results = await play("ruled", shell("echo ship it"), shell("echo check all"), shell("echo ship it"));
      expect(results[0]).toContain("Run the check before echo ship it.");
      expect(results[0]).toContain("ship-needs-check");
      expect(results.slice(1).join()).not.toContain("Run the check");
    },
  );
  wired("agents.*.programs", "WIR-21 a program that the operator describes has its effect", async () => {
    expect(await denied("Launching is for people.", "ruled", shell("launch --now"))).toEqual([true]);
    expect(await denied("Launching is for people.", "plain", shell("launch --now"))).toEqual([false]);
  });
  wired(
    ["agents.*.rules[].when", "agents.*.rules[].unless"],
    "WIR-22 a rule applies when its 'when' is true and its 'unless' is not",
    async () => {
      const calls = [write("a.key"), write("a.txt"), write("b.key", "public")];
      expect(await denied("Keys stay out.", "ruled", ...calls)).toEqual([true, false, false]);
    },
  );
  wired(
    ["agents.*.rules[].atMost", "agents.*.rules[].atMost.count", "agents.*.rules[].atMost.per"],
    "WIR-23 a call is allowed as often as its rule says, for each value of an argument",
    async () => {
      expect(await denied("Read it once.", "ruled", write("a"), read("a"), read("a"), read("b"))).toEqual([
        false,
        false,
        true,
        false,
      ]);
    },
  );
  wired(
    ["agents.*.rules[].require.call", "agents.*.rules[].require.all", "agents.*.rules[].require.any"],
    "WIR-24 a rule needs a call, all of several, or one of several",
    async () => {
      const check = shell("echo check");
      expect(await denied("All of them", "ruled", check, shell("echo all"))).toEqual([false, true]);
      expect(await denied("All of them", "ruled", check, write("a"), read("a"), shell("echo all"))).not.toContain(true);
      expect(await denied("One of them", "ruled", shell("echo any"), check, shell("echo any"))).toEqual([
        true,
        false,
        false,
      ]);
    },
  );
  wired(
    ["agents.*.rules[].require.not", "agents.*.rules[].require.where", "agents.*.rules[].require.counts"],
    "WIR-25 a rule forbids a call after another, or needs one with an argument, or one that was only allowed",
    async () => {
      const not = shell("echo not");
      expect(await denied("Not after", "ruled", not, shell("echo check"), not)).toEqual([false, false, true]);
      const where = shell("echo where");
      const first = [write("wrong.txt"), read("wrong.txt"), where, write("right.txt"), read("right.txt"), where];
      expect(await denied("the right file", "ruled", ...first)).toEqual([false, false, true, false, false, false]);
      const tried = shell("echo tried");
      expect(await denied("Try to read", "ruled", tried, read("nothing.txt"), tried)).toEqual([true, false, false]);
    },
  );
  wired(
    ["agents.*.rules[].require.same", "agents.*.rules[].require.fresh"],
    "WIR-26 a rule needs a call on the same file, which has not changed since",
    async () => {
      const [same, make] = [write("same.txt"), write("same.txt", "new")];
      const calls = [make, write("other.txt"), read("other.txt"), same, read("same.txt"), make, same];
      expect(await denied("Read the same file", "ruled", ...calls)).toEqual([
        ...[false, false, false, true, false, false, true],
      ]);
      expect(await denied("Read the same file", "ruled", make, read("same.txt"), same)).not.toContain(true);
    },
  );
  wired(
    ["agents.*.rules[].require.within", "agents.*.rules[].require.since"],
    "WIR-27 what a rule needs must be recent enough, or newer than another call",
    async () => {
      const check = shell("echo check");
      expect(await denied("Too long ago", "ruled", check, shell("sleep 0.1"), shell("echo recent"))).toEqual([
        false,
        false,
        true,
      ]);
      const since = shell("echo since");
      expect(await denied("Check after writing", "ruled", check, write("a"), since, check, since)).toEqual([
        false,
        false,
        true,
        false,
        false,
      ]);
    },
  );
  wired("agents.*.rules[].set", "WIR-28 a rule rewrites an argument before the tool runs", async () => {
    expect((await play("ruled", shell("echo loud")))[0]).toContain("quiet");
  });
  wired(
    ["agents.*.rules[].toolName", "agents.*.rules[].requiredPrior", "agents.*.rules[].blockMessage"],
    "WIR-29 a rule in the form of the seeds denies with its own message",
    async () => {
      machine.write({ ".conduct-work/seeded/operator/b": "there" });
      const calls = [write("a"), read("b"), write("a")];
      expect(await denied("Look before you write.", "seeded", ...calls)).toEqual([true, false, false]);
    },
  );
  wired(
    [
      "agents.*.rules[].pack",
      "agents.*.rules[].level",
      "agents.*.rules[].effect",
      "agents.*.rules[].effect.gentle",
      "agents.*.rules[].effect.standard",
      "agents.*.rules[].effect.strict",
    ],
    "WIR-30 a pack has the effects of the level that the agent chooses",
    async () => {
      const of = async (agent: string) =>
        (await play(agent, shell("echo first"), shell("echo third"))).map((result) =>
          /denied|Blocked|not run/i.test(result),
        );
      expect(await of("gentle")).toEqual([false, true]);
      expect(await of("standard")).toEqual([true, false]);
      expect(await of("strict")).toEqual([true, true]);
    },
  );
  wired(
    ["agents.*.rules[].off", "agents.*.rules[].except", "agents.*.rules[].patterns"],
    "WIR-31 an agent leaves out a rule of a pack, spares calls, and replaces a pattern",
    async () => {
      expect(await denied("Second of the pack", "gentle", shell("echo second"))).toEqual([false]);
      expect(await denied("Second of the pack", "standard", shell("echo second"))).toEqual([true]);
      const third = [shell("echo third"), shell("echo third spared")];
      expect(await denied("Third of the pack", "gentle", ...third)).toEqual([true, false]);
      const fourth = [shell("echo mine"), shell("echo yours")];
      expect(await denied("Fourth of the pack", "gentle", ...fourth)).toEqual([true, false]);
      expect(await denied("Fourth of the pack", "standard", ...fourth)).toEqual([false, true]);
    },
  );
  wired(["agents.*.rules[].shadow"], "WIR-740 an agent puts a rule of a pack into shadow mode", async () => {
    expect(await denied("Fifth of the pack", "gentle", shell("echo fifth"))).toEqual([false]);
    expect(await denied("Fifth of the pack", "standard", shell("echo fifth"))).toEqual([true]);
  });
});
