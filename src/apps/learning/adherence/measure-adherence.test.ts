import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AdherenceRow } from "../../../base/ports/stores/adherence.ts";
import type { DirectiveCheck } from "../../../base/words/contract.ts";
import { characterCounter } from "../../../behavior/results/token-counter.ts";
import { sequentialIds } from "../../../edge/host/node/node-ids.ts";
import { memoryStores } from "../../../edge/stores/home-stores.ts";
import { ContractService } from "../../../engine/governance/contract-service.ts";
import { AdherenceTable } from "./adherence.ts";
import { followAdherence } from "./follow-adherence.ts";
import { beginTurn, judgeBy, type TurnSeen, takeEvent } from "./judge-turn.ts";
import { adherenceSince, measureAdherence } from "./measure-adherence.ts";
import { eventsOf, NOON, type PlannedTurn } from "./test-turns.ts";

/** One turn as the journal would have it. */
function seen(turn: PlannedTurn): TurnSeen {
  const events = eventsOf("s", [turn]);
  const prompt = events.find((event) => event.type === "prompt");
  if (prompt?.type !== "prompt") throw new Error("a turn has a prompt");
  const begun = beginTurn(prompt, { agent: "a" });
  for (const event of events) if (event.turn === 1) takeEvent(begun, event);
  return begun;
}
const reply = (text: string, at?: number) => ({ reply: text, ...(at === undefined ? {} : { at }) });

describe("what a check tells of a turn", () => {
  const words: DirectiveCheck = { kind: "length", unit: "words", atMost: 3 };
  const order: DirectiveCheck = { kind: "order", first: "test", later: "deploy" };
  const polite: DirectiveCheck = { kind: "reply", holds: "!text.contains('As an AI') && words < 50" };
  const minute: DirectiveCheck = { kind: "cadence", atMost: 1, withinMs: 60_000 };
  it.each<readonly [string, DirectiveCheck, PlannedTurn, string]>([
    ["three words", words, { did: [reply("one two three")] }, "followed"],
    ["four words", words, { did: [reply("one two, three: four")] }, "violated"],
    ["one of two replies too long", words, { did: [reply("a b c d"), reply("a")] }, "violated"],
    ["no reply", words, { did: [] }, "cannot-tell"],
    ["a secret in it", words, { did: [reply("key [redacted:0123456789ab]")] }, "cannot-tell"],
    ["not over yet", words, { did: [reply("one")], open: true }, "cannot-tell"],
    ["not over, but too long already", words, { did: [reply("a b c d")], open: true }, "violated"],
    ["words without spaces", words, { did: [reply("今日は天気がいいから散歩しましょう")] }, "violated"],
    [
      "characters as a reader sees them",
      { kind: "length", unit: "characters", atMost: 2 },
      { did: [reply("👩‍👩‍👧é")] },
      "followed",
    ],
    ["lines", { kind: "length", unit: "lines", atMost: 2 }, { did: [reply("a\nb\n")] }, "followed"],
    ["too short", { kind: "length", unit: "lines", atLeast: 3 }, { did: [reply("a\nb\n")] }, "violated"],
    ["an expression that holds", polite, { did: [reply("Done.")] }, "followed"],
    ["an expression that does not", polite, { did: [reply("As an AI, I")] }, "violated"],
    ["an expression nobody can read", { kind: "reply", holds: "text +" }, { did: [reply("x")] }, "cannot-tell"],
    [
      "an expression without an answer",
      { kind: "reply", holds: "args.none == 1" },
      { did: [reply("x")] },
      "cannot-tell",
    ],
    ["in order", order, { did: ["test", "deploy"] }, "followed"],
    ["out of order", order, { did: ["deploy", "test"] }, "violated"],
    ["after a failed one", order, { did: ["test!", "deploy"] }, "violated"],
    ["after one whose end is not known", order, { did: ["test?", "deploy"] }, "cannot-tell"],
    ["a denied deploy is none", order, { did: ["deploy-"] }, "cannot-tell"],
    ["nothing to keep an order in", order, { did: ["test"] }, "cannot-tell"],
    ["denied, then in order", order, { did: ["deploy-", "test", "deploy"] }, "followed"],
    ["one reply too many", { kind: "cadence", atMost: 1 }, { did: [reply("a"), reply("b")] }, "violated"],
    ["as many as may be", { kind: "cadence", atMost: 2 }, { did: [reply("a"), reply("b")] }, "followed"],
    ["two in a minute", minute, { did: [reply("a", 10_000), reply("b", 50_000)] }, "violated"],
    ["two in two minutes", minute, { did: [reply("a", 10_000), reply("b", 100_000)] }, "followed"],
    ["too few", { kind: "cadence", atLeast: 2 }, { did: [reply("a")] }, "violated"],
  ])("ADH-10: a check rates a turn: %s", (_name, check, turn, kind) => {
    expect(judgeBy(check)(seen(turn)).kind).toBe(kind);
  });
});

const HOUR = 3_600_000;

async function world() {
  const { events, adherence, governance } = memoryStores();
  const time = { now: NOON - HOUR };
  const clock = { now: () => time.now, monotonic: () => 0 };
  const contracts = new ContractService({
    ...{ journal: governance, clock, ids: sequentialIds() },
    counter: async () => characterCounter,
  });
  const add = async (text: string, check?: string) => {
    const made = await contracts.change({ kind: "add", type: "less", text, ...(check && { check }) }, "op");
    if (made.kind === "refused") throw new Error(made.message);
    const { version, hash } = made.contract;
    return { version, hash };
  };
  const measure = async (after = 0, upTo?: number) =>
    measureAdherence({ events, contracts }, { after, upTo: upTo ?? (await events.head()) });
  const follow = async () => {
    await followAdherence({ events, adherence, contracts });
    return (await adherence.rows("", "9999")).filter(({ inForce }) => inForce > 0);
  };
  return { events, adherence, governance, contracts, add, measure, follow, time };
}

describe("adherence in the journal", () => {
  it("ADH-11: adherence counts turns with the directive in the prompt by day and check, and is unknown without a check", async () => {
    const { events, add, measure } = await world();
    await add("words", "length: at most 3 words");
    const contract = await add("jokes");
    const turns: readonly PlannedTurn[] = [
      { did: [reply("one two")], contract },
      { did: [reply("one two three four")], contract },
      { did: [reply("one")], contract, observing: "shadow" },
      { did: [reply("one")] },
      { did: [reply("one")], contract: { ...contract, hash: "another" } },
    ];
    await events.append(eventsOf("s", turns));
    const [first, second] = await measure();
    expect(first).toMatchObject({ id: "d_1", day: "2026-11-15", by: "length: at most 3 words" });
    expect(first).toMatchObject({ inForce: 2, followed: 1, violated: 1, cannotTell: 0 });
    expect(first?.shown.violated).toHaveLength(1);
    expect(second).toMatchObject({ id: "d_2", inForce: 2, followed: 0, violated: 0, cannotTell: 2 });
    expect(second).not.toHaveProperty("by");
  });

  it("ADH-12: a rule that objected was violated, and a standing rule that applied without objecting was followed", async () => {
    const { events, contracts, measure, time } = await world();
    const text = "rules:\n  - { id: no-push, on: push, atMost: { count: 1 } }\n";
    await contracts.change({ kind: "harden", rule: "no-push", text }, "op");
    await events.append(eventsOf("shadow", [{ did: ["push"] }], NOON - HOUR / 2));
    time.now += HOUR / 2 + 60_000;
    await contracts.change({ kind: "enforce-rule", id: "no-push" }, "op");
    await events.append(
      eventsOf("s", [{ did: ["push-"] }, { did: ["push"] }, { did: ["test"] }, { did: ["deploy-"] }]),
    );
    expect(await measure()).toMatchObject([
      { of: "rule", id: "no-deploy", inForce: 1, violated: 1, followed: 0 },
      { of: "rule", id: "no-push", inForce: 2, violated: 1, followed: 1 },
    ]);
  });

  it("ADH-14: a check counts from its declaration; a changed check is counted separately, and a removed one stops counting", async () => {
    const { events, contracts, add, measure, time } = await world();
    const contract = await add("words");
    const checks = ["length: at most 3 words", "length: at most 5 words", undefined];
    for (const [at, check] of checks.entries()) {
      const turns = [{ did: [reply("one two three four")], contract }];
      await events.append(eventsOf(`s${at}`, turns, NOON + at * HOUR));
      time.now = NOON + (at + 0.5) * HOUR;
      await contracts.change({ kind: "check", id: "d_1", ...(check && { check }) }, "op");
    }
    await events.append(eventsOf("s3", [{ did: [reply("one")], contract }], NOON + 3 * HOUR));
    expect((await contracts.contract({})).version).toBe(contract.version);
    expect(await measure()).toMatchObject([
      { id: "d_1", inForce: 2, cannotTell: 2 },
      { by: checks[0], inForce: 1, violated: 1 },
      { by: checks[1], inForce: 1, followed: 1 },
    ]);
  });

  it("ADH-15: directives of two scopes are measured, also after one has expired", async () => {
    const { events, contracts, add, measure, time } = await world();
    const check = "length: at most 3 words";
    await add("words", check);
    const expiresAt = new Date(NOON + HOUR).toISOString();
    await contracts.change({ kind: "add", type: "stop", text: "jokes", scope: "user:u", expiresAt, check }, "op");
    await contracts.change({ kind: "add", type: "stop", text: "puns", scope: "user:v", check }, "op");
    for (const hours of [0, 2]) {
      time.now = NOON + hours * HOUR;
      const { version, hash } = await contracts.contract({ agent: "a", channel: "web", user: "u" });
      const turns = [{ did: [reply("one two")], contract: { version, hash } }];
      await events.append(eventsOf(`s${hours}`, turns, time.now));
    }
    expect(await measure()).toMatchObject([
      { id: "d_1", scope: "global", inForce: 2, followed: 2 },
      { id: "d_2", scope: "user:u", inForce: 1, followed: 1 },
    ]);
  });

  it("ADH-16: a rule counts while it was in force, also after its removal, and observed turns do not count", async () => {
    const { events, contracts, measure, time } = await world();
    const text = "rules:\n  - { id: no-push, on: push, atMost: { count: 1 } }\n";
    await events.append(eventsOf("before", [{ did: ["push"] }], NOON - 2 * HOUR));
    await contracts.change({ kind: "harden", rule: "no-push", text }, "op");
    await contracts.change({ kind: "enforce-rule", id: "no-push" }, "op");
    await events.append(eventsOf("with", [{ did: ["push"] }, { did: ["push-"], observing: "shadow" }]));
    time.now = NOON + HOUR;
    await contracts.change({ kind: "remove-rule", id: "no-push" }, "op");
    await events.append(eventsOf("after", [{ did: ["push"] }], NOON + 2 * HOUR));
    expect(await measure()).toMatchObject([{ id: "no-push", inForce: 1, followed: 1, violated: 0 }]);
  });

  const turn = fc.record({
    did: fc.array(
      fc.oneof(
        fc.constantFrom("test", "deploy", "test!", "test?", "deploy-", "push"),
        fc.string({ maxLength: 30 }).map((text) => reply(text)),
      ),
      { maxLength: 6 },
    ),
    told: fc.nat(2),
    shadow: fc.boolean(),
    open: fc.boolean(),
  });
  it("ADH-18: counted turns outlive their events, and a rebuild counts again what the events and the runs still show", async () => {
    const { events, adherence, governance, contracts, add, follow } = await world();
    const contract = await add("words", "length: at most 3 words");
    await events.append(eventsOf("s", [{ did: [reply("one two")], contract }]));
    const counted = await follow();
    expect(counted).toMatchObject([{ id: "d_1", inForce: 1, followed: 1 }]);
    const sources = { events, adherence, governance: { ...governance, witness: undefined }, contracts };
    await events.deleteSession("s");
    expect(await adherenceSince(sources, NOON)).toEqual(counted);
    await adherence.clear();
    expect(await adherenceSince(sources, NOON)).toEqual([]);
  });

  const CHECKS = ["length: at most 3 words", "order: test before deploy", "cadence: at most 2 replies"];

  it("ADH-13: adherence counts add up across windows, and the order of sessions does not matter", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(turn, { maxLength: 4 }), { maxLength: 5 }),
        fc.nat(),
        async (sessions, cut) => {
          const one = await world();
          const other = await world();
          const contracts: { version: number; hash: string }[] = [];
          for (const [at, check] of CHECKS.entries()) {
            contracts.push(await one.add(`thing ${at}`, check));
            await other.add(`thing ${at}`, check);
          }
          const all = sessions.map((turns, at) =>
            eventsOf(
              `s${at}`,
              turns.map(({ did, told, shadow, open }) => {
                const contract = contracts[told];
                return {
                  did,
                  ...(contract && { contract }),
                  ...(shadow ? { observing: "shadow" as const } : {}),
                  ...(open ? { open: true as const } : {}),
                };
              }),
            ),
          );
          // Interleaved in one journal, one after the other in reverse in the other.
          const longest = Math.max(0, ...all.map(({ length }) => length));
          for (let at = 0; at < longest; at++)
            for (const events of all) await one.events.append(events.slice(at, at + 1));
          for (const events of all.toReversed()) await other.events.append(events);
          const rows = await one.measure();
          for (const row of rows) expect(row.followed + row.violated + row.cannotTell).toBe(row.inForce);
          const plain = (list: typeof rows) => list.map(({ shown: _, ...row }) => row);
          expect(plain(await other.measure())).toEqual(plain(rows));
          const head = await one.events.head();
          const middle = head === 0 ? 0 : cut % (head + 1);
          const parts = [...(await one.measure(0, middle)), ...(await one.measure(middle))];
          expect(plain(AdherenceTable.join(parts))).toEqual(plain(rows));
        },
      ),
      { numRuns: 60 },
    );
  });

  it("ADH-17: turns counted step by step while events arrive equal one scan of all events", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(turn, { maxLength: 4 }), { maxLength: 4 }),
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 }),
        async (sessions, sizes) => {
          const { events, adherence, add, measure, follow } = await world();
          const contracts: { version: number; hash: string }[] = [];
          for (const [at, check] of CHECKS.entries()) contracts.push(await add(`thing ${at}`, check));
          const all = sessions.map((turns, at) =>
            eventsOf(
              `s${at}`,
              turns.map(({ did, told, shadow, open }) => ({
                did,
                contract: contracts[told],
                ...(shadow && { observing: "shadow" as const }),
                ...(open && { open: true as const }),
              })),
            ),
          );
          const longest = Math.max(0, ...all.map(({ length }) => length));
          const mixed = Array.from({ length: longest }, (_, at) =>
            all.flatMap((some) => some.slice(at, at + 1)),
          ).flat();
          const plain = (rows: readonly AdherenceRow[]) => AdherenceTable.join(rows).map(({ shown: _, ...row }) => row);
          for (let [at, step] = [0, 0]; at < mixed.length; step++) {
            const size = sizes[step % sizes.length] ?? 1;
            await events.append(mixed.slice(at, at + size));
            at += size;
            expect(plain(await follow())).toEqual(plain(await measure()));
          }
          await adherence.clear();
          expect(plain(await follow())).toEqual(plain(await measure()));
        },
      ),
      { numRuns: 40 },
    );
  });
});
