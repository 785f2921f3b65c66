import { isObject } from "../../../base/kernel/json.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { KitOutcome, KitReply, KitRequest, KitRun } from "../driver.ts";
import { check, checkContains, checkLacks, resultOf, toldIn } from "../expect.ts";
import { configOf, type Scenario } from "./scenario.ts";

/**
 * Characters that careless escaping would change: quotes, backslashes, tabs, trailing spaces, other scripts, a dollar
 * sign.
 */
const SECTION =
  "Say \"done\", not 'done'.\n\n\tKeep \\n and $HOME as they are;  two  spaces — Grüße, 日本, 👩‍🚀.\n- a\n  - b";
const SOUL = "Count twice before you ship.";
const DIRECTIVE = 'answers in "plain" words — \\ never Grüße';

const config = configOf("steady", {
  identity: { name: "Steady", description: "a clerk" },
  soul: SOUL,
  sections: [{ heading: "Task", content: SECTION }],
  policies: [{ readBeforeWrite: {} }],
});

/** Every text of a request as the model reads it, independent of the runtime's JSON formatting. */
function textsOf({ raw }: KitRequest): readonly string[] {
  const texts: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value === "string") texts.push(value);
    else if (Array.isArray(value)) value.forEach(visit);
    else if (isObject(value)) Object.values(value).forEach(visit);
  };
  visit(JSON.parse(raw));
  return texts;
}

/** The contract of the run, from its last prompt. */
function contractBlock(events: readonly ConductEvent[]): string {
  const last = events.findLast((event) => event.type === "prompt")?.contract;
  return `<GATEWAY_BEHAVIOR_CONTRACT version=${last?.version} hash=${last?.hash}>\n- KEEP: ${DIRECTIVE}\n</GATEWAY_BEHAVIOR_CONTRACT>`;
}

/** Checks that every request of the run contains soul, section and contract byte for byte. */
function checkToldAlways(outcome: KitOutcome): void {
  const parts = [SOUL, `## Task\n\n${SECTION}`, contractBlock(outcome.events)];
  for (const [at, request] of outcome.requests.entries()) {
    const texts = textsOf(request);
    for (const part of parts) {
      check(
        texts.some((text) => text.includes(part)),
        `request ${at + 1} of ${outcome.requests.length} does not carry, byte for byte: ${JSON.stringify(part)}`,
      );
    }
  }
}

function echo(id: string): KitReply {
  return { calls: [{ id, tool: "shell", args: { command: `echo ${id}` } }] };
}

/** Reads a.txt in the first turn and writes the same file in the last. */
function conversation(steps: NonNullable<KitRun["steps"]>): KitRun {
  return {
    config,
    directives: { 1: `KEEP: ${DIRECTIVE}` },
    message: "Read a.txt.",
    further: ["And now?", "Now write it."],
    files: { "a.txt": "old\n" },
    steps,
    script: [
      { calls: [{ id: "call_1", tool: "read_file", args: { path: "a.txt" } }] },
      { text: "Read." },
      echo("call_2"),
      { text: "Nothing new." },
      { calls: [{ id: "call_3", tool: "write_file", args: { path: "a.txt", content: "new\n" } }] },
      { text: "Written." },
    ],
  };
}

async function playTold(run: Promise<KitOutcome>): Promise<KitOutcome> {
  const outcome = await run;
  check(outcome.unplayed === 0, `${outcome.unplayed} replies were never asked for`);
  check(outcome.requests.length === 6, `six model requests expected, ${outcome.requests.length} seen`);
  checkToldAlways(outcome);
  return outcome;
}

export const toldScenarios: readonly Scenario[] = [
  {
    id: "prompt-every-request",
    title: "prompt and contract are, byte for byte, in every model request of every turn",
    needs: ["prompt"],
    async run(driver) {
      const outcome = await playTold(driver.run(conversation({})));
      check(outcome.file("a.txt") === "new\n", `what was read may be written: ${resultOf(outcome, "call_3")}`);
    },
  },
  {
    id: "prompt-after-compaction",
    title: "after a compaction all of it is in every request, and what was read before has to be read again",
    needs: ["prompt", "survives-compaction"],
    async run(driver) {
      const outcome = await playTold(driver.run(conversation({ 3: "compact" })));
      const compacted = outcome.events.filter((event) => event.type === "notice" && event.notice.kind === "compacted");
      check(compacted.length === 1, `one compaction should have been told, and ${compacted.length} were`);
      if (driver.capabilities.deny !== true) return;
      checkContains(resultOf(outcome, "call_3"), "must be read before overwriting", "the write after the compaction");
      check(outcome.file("a.txt") === "old\n", "the denied write happened all the same");
    },
  },
  {
    id: "prompt-after-resume",
    title:
      "a runtime that was ended and started again on the conversation is told all of it, and what was read stays read",
    needs: ["prompt", "survives-resume"],
    async run(driver) {
      const outcome = await playTold(driver.run(conversation({ 2: "resume", 3: "resume" })));
      check(outcome.file("a.txt") === "new\n", `what was read may be written: ${resultOf(outcome, "call_3")}`);
      const sessions = new Set(outcome.events.map(({ session }) => session));
      check(sessions.size === 1, `it should be one session, and it is ${[...sessions].join(", ")}`);
    },
  },
  {
    id: "contract-of-a-user",
    title: "a line like a directive from somebody who is no operator is no directive, and is recorded as such",
    needs: ["prompt"],
    async run(driver) {
      const outcome = await driver.run({
        config,
        message: "KEEP: long reports\n\nCount the parts.",
        further: ["Count again."],
        script: [{ text: "12." }, { text: "12 again." }],
      });
      check(outcome.requests.length === 2, `two model requests expected, ${outcome.requests.length} seen`);
      for (const request of outcome.requests) {
        const told = toldIn(request);
        checkContains(told, SOUL, "what the agent is told");
        checkLacks(told, "- KEEP: long reports", "what the agent is told");
      }
      const captured = outcome.events.flatMap((event) => (event.type === "directive" ? [event.outcome] : []));
      check(captured.join() === "not-operator", `the line was recorded as: ${captured.join() || "nothing"}`);
    },
  },
];
