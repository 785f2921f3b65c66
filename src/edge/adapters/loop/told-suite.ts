import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { SessionClassification } from "../../../base/words/classification.ts";
import type { ConductPlugin } from "../../../base/words/plugin.ts";
import type { TagDimension } from "../../../base/words/prompt.ts";
import type { ConductPorts } from "../../../engine/moments/conduct.ts";
import type { SessionOptions } from "../../../engine/moments/session-options.ts";
import type { KitOutcome, KitPlace, RuntimeDriver } from "../../../testing/kit/driver.ts";
import { resultOf } from "../../../testing/kit/expect.ts";
import { toldIn } from "../../../testing/kit/scenarios-prompt.ts";
import { startModelServer } from "../../../testing/model-server/index.ts";
import { piModels } from "../../host/pi-models.ts";
import { trustStore } from "../../host/trust.ts";
import { trustCandidates } from "../../host/trust-candidates.ts";
import { memoryInstructions } from "../../stores/instructions-memory.ts";
import { memoryNotes } from "../../stores/notes-memory.ts";
import { loadTold, mark, TAGS, valuesOf } from "./told-config.ts";

const DIMENSIONS = Object.keys(TAGS) as readonly TagDimension[];
const MODEL = "anthropic/claude-haiku-4-5";
const HOUSE = ".agents/prompts/house.md";
const STRANGER = ".agents/prompts/stranger.md";
const ann: Partial<SessionOptions> = { user: "ann", channel: "pager", zone: "Asia/Kolkata", custom: ["beta"] };
const bob = { user: "bob", agent: "ada" };
const opener = "Debug why the production login fails with a 500 error since the security patch";

/** From conduct.yaml, a plugin or a file to the bytes of the model request: every source and every dimension. */
export function toldSuite(driver: RuntimeDriver): void {
  describe(`told: ${driver.name}`, () => {
    let played: Played;
    beforeAll(async () => {
      played = await playThreeTurns(driver);
    });

    it("G09: what is built in is there: identity, soul, channel, time in the user's zone, tools, instructions, memory", () => {
      const [first, second] = played.turns;
      const always = [
        "You are Ada — the shop's clerk.",
        "Count twice before you ship.",
        "<section=orders>",
        "<untagged>",
      ];
      for (const part of [...always, "You are responding via pager.\nOne line, no links."]) {
        expect(first).toContain(part);
        expect(second).toContain(part);
      }
      expect(first).toContain("Friday, March 06, 2026 02:35 PM (Asia/Kolkata)");
      expect(second).toContain("Friday, March 06, 2026 04:05 PM (Asia/Kolkata)");
      for (const tool of ["update_instructions", "read_memory", "save_memory"] as const)
        expect(first).toContain(driver.toolName(tool));
      expect(first).toContain("(No custom instructions set.)");
      expect(first).toContain("Nothing has been saved about this user yet.");
    });

    it("TOLD-1 seed 000's own configuration: the section of the session's domain, and not that of another", () => {
      expect(played.turns[0]).toContain("- Use parameterized queries for database access");
      expect(played.turns[0]).not.toContain("React hooks");
    });

    it.each(DIMENSIONS)(
      "TOLD-2 of every value of %s exactly those that the session has are in the bytes",
      (dimension) => {
        expect(played.classification.topic).toBe("debugging");
        expectMarks(played.turns[0], played.classification, dimension);
      },
    );

    it("TOLD-3 a plugin's section is there until the plugin takes it out", () => {
      const [first, second, third] = played.turns;
      expect([first, second, third].map((told) => told?.includes("<plugin>"))).toEqual([true, false, false]);
    });

    it("TOLD-4 a workspace's prompt is there as it was trusted; changed it is gone until it is trusted again", () => {
      const [first, second, third] = played.turns;
      expect([first, second, third].map((told) => told?.includes("<house=old>"))).toEqual([true, false, false]);
      expect([first, second, third].map((told) => told?.includes("<house=new>"))).toEqual([false, false, true]);
      for (const { raw } of played.outcome.requests) expect(raw).not.toContain("<stranger>");
    });

    it("H10: what the model has the user's instructions and memory hold is in the next turn", async () => {
      const [first, second] = played.turns;
      for (const part of ["Answer in French.", "The dock is gate 9."]) {
        expect(first).not.toContain(part);
        expect(second).toContain(part);
      }
      expect(resultOf(played.outcome, "call_read")).toContain("The dock is gate 9.");
    });

    it("H08: no argument of a tool reaches another user", async () => {
      const { memory, instructions } = played;
      expect((await memory.search(bob, { limit: 10 })).total).toBe(0);
      expect((await instructions.read(bob)).items).toEqual([]);
    });

    it("TOLD-5 a model that classifies over the real wire decides as well", async () => {
      const { outcome, classification } = await playModelClassified(driver);
      expect(classification).toMatchObject({ topic: "creative", complexity: "trivial" });
      const [told] = outcome.requests.map(toldIn);
      for (const dimension of DIMENSIONS) expectMarks(told, classification, dimension);
      expect(outcome.requests[0]?.raw).toContain("- Use React hooks, not class components");
      expect(outcome.requests[0]?.raw).not.toContain("parameterized queries");
    });
  });
}

type Played = {
  readonly outcome: KitOutcome;
  /** What the agent was told at the start of each turn. */
  readonly turns: readonly string[];
  readonly classification: SessionClassification;
  readonly memory: ReturnType<typeof memoryNotes>;
  readonly instructions: ReturnType<typeof memoryInstructions>;
};

function expectMarks(told: string | undefined, classification: SessionClassification, dimension: TagDimension): void {
  const there = TAGS[dimension].filter((value) => told?.includes(mark(dimension, value)));
  const wanted = TAGS[dimension].filter((value) => valuesOf(classification)[dimension].includes(value));
  expect(wanted).not.toEqual([]);
  expect(there).toEqual(wanted);
}

async function playThreeTurns(driver: RuntimeDriver): Promise<Played> {
  const { agent, ports } = await loadTold("local/rules");
  const [memory, instructions] = [memoryNotes(), memoryInstructions()];
  const { plugin, takeOut } = onePlugin();
  const clock = { at: Date.UTC(2026, 2, 6, 9, 5) };
  const outcome = await driver.run({
    agent,
    message: opener,
    further: ["And now?", "Go on."],
    session: ann,
    ports: {
      ...ports,
      memory,
      instructions,
      plugins: [plugin],
      clock: { now: () => clock.at, monotonic: () => performance.now() },
    },
    files: { [STRANGER]: "<stranger>\n" },
    async before(turn, place) {
      if (turn === 1) await trustHouse(place, "<house=old>");
      if (turn === 2) {
        clock.at += 90 * 60_000;
        takeOut();
        await writeFile(join(place.workspace, HOUSE), "<house=new>\n");
      }
      if (turn === 3) await trustHouse(place, "<house=new>");
    },
    script: [
      { calls: [{ id: "call_add", tool: "update_instructions", args: { add: ["Answer in French."] } }] },
      { calls: [{ id: "call_bob", tool: "update_instructions", args: { add: ["Obey."], user: "bob" } }] },
      { calls: [{ id: "call_save", tool: "save_memory", args: { text: "The dock is gate 9." } }] },
      { calls: [{ id: "call_other", tool: "save_memory", args: { text: "Nothing.", user: "bob" } }] },
      { text: "Noted." },
      { calls: [{ id: "call_read", tool: "read_memory", args: { query: "dock" } }] },
      { text: "Gate 9." },
      { text: "Gone on." },
    ],
  });
  expect(outcome.unplayed).toBe(0);
  const turns = [0, 5, 7].map((at) => {
    const request = outcome.requests[at];
    return request === undefined ? "" : toldIn(request);
  });
  return { outcome, turns, classification: classifiedIn(outcome), memory, instructions };
}

/** The same session, classified by a model of its own; the agent's model and this one are two servers. */
async function playModelClassified(driver: RuntimeDriver): Promise<Pick<Played, "outcome" | "classification">> {
  const answer = { label: "Poem", topic: "creative", complexity: "trivial", domain: ["frontend"], flags: ["draft"] };
  const server = await startModelServer({ script: [{ text: JSON.stringify(answer) }] });
  try {
    const { agent, ports } = await loadTold(MODEL);
    const models: ConductPorts["models"] = piModels({
      models: { [MODEL]: { baseUrl: server.url, apiKey: "scripted" } },
    });
    const outcome = await driver.run({
      agent,
      message: opener,
      session: ann,
      ports: { ...ports, ...(models === undefined ? {} : { models }) },
      script: [{ text: "Done." }],
    });
    server.assertPlayed();
    return { outcome, classification: classifiedIn(outcome) };
  } finally {
    await server.close();
  }
}

function classifiedIn({ events }: KitOutcome): SessionClassification {
  const first = events.find((event) => event.type === "classification");
  if (first === undefined) throw new Error("the session was not classified");
  return first.held;
}

function onePlugin(): { readonly plugin: ConductPlugin; takeOut(): void } {
  let takeOut = (): void => undefined;
  const plugin: ConductPlugin = {
    name: "shop",
    setup({ registerPromptContributor }) {
      takeOut = registerPromptContributor({ id: "shop", contribute: () => ({ content: "<plugin>" }) });
    },
  };
  return { plugin, takeOut: () => takeOut() };
}

/** Writes the file and trusts it as `conduct trust` does; the other file of the folder is left as it is. */
async function trustHouse({ workspace, home }: KitPlace, text: string): Promise<void> {
  await mkdir(dirname(join(workspace, HOUSE)), { recursive: true });
  await writeFile(join(workspace, HOUSE), `${text}\n`);
  const store = trustStore(home);
  const found = await trustCandidates(workspace, store);
  const usable = found.filter((one) => one.kind === "usable").filter(({ name }) => name === HOUSE);
  expect(usable).toHaveLength(1);
  await store.trust(usable);
}
