import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { SessionClassification } from "../../../base/words/classification.ts";
import type { ConductPlugin } from "../../../base/words/hosting/plugin.ts";
import type { SessionOptions } from "../../../engine/session/session-options.ts";
import type { KitOutcome, KitPlace } from "../../../testing/kit/driver.ts";
import { check, toldIn } from "../../../testing/kit/expect.ts";
import type { LocalDriver } from "../../../testing/kit/local-run.ts";
import { startModelServer } from "../../../testing/test/model-server/index.ts";
import { piModels } from "../../host/node/pi-models.ts";
import { trustStore } from "../../host/trust/trust.ts";
import { trustCandidates } from "../../host/trust/trust-candidates.ts";
import { memoryStores } from "../../stores/home-stores.ts";
import { loadTold } from "./prompt-config.ts";

const MODEL = "anthropic/claude-haiku-4-5";
const HOUSE = ".agents/prompts/house.md";
const STRANGER = ".agents/prompts/stranger.md";
const ann: Partial<SessionOptions> = { user: "ann", channel: "pager", zone: "Asia/Kolkata", custom: ["beta"] };
const opener = "Debug why the production login fails with a 500 error since the security patch";

export type Played = {
  readonly outcome: KitOutcome;
  readonly turns: readonly string[];
  readonly classification: SessionClassification;
  readonly memory: ReturnType<typeof memoryStores>["memory"];
  readonly instructions: ReturnType<typeof memoryStores>["instructions"];
};

/** Runs one session of three turns, in which every source contributes something and some of it changes. */
export async function playThreeTurns(driver: LocalDriver): Promise<Played> {
  const { agent, ports } = await loadTold("local/rules");
  const [memory, instructions] = [memoryStores().memory, memoryStores().instructions];
  const { plugin, takeOut } = onePlugin();
  const clock = { at: Date.UTC(2026, 2, 6, 9, 5) };
  const outcome = await driver.runLocal({
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
  check(outcome.unplayed === 0, `${outcome.unplayed} replies were never asked for`);
  const turns = [0, 5, 7].map((at) => {
    const request = outcome.requests[at];
    return request === undefined ? "" : toldIn(request);
  });
  return { outcome, turns, classification: classifiedIn(outcome), memory, instructions };
}

/** The same session, classified by another model; the agent's model and this one are two servers. */
export async function playModelClassified(driver: LocalDriver): Promise<Pick<Played, "outcome" | "classification">> {
  const answer = { label: "Poem", topic: "creative", complexity: "trivial", domain: ["frontend"], flags: ["draft"] };
  const server = await startModelServer({ script: [{ text: JSON.stringify(answer) }] });
  try {
    const { agent, ports } = await loadTold(MODEL);
    const models = piModels({ models: { [MODEL]: { baseUrl: server.url, apiKey: "scripted" } } });
    const outcome = await driver.runLocal({
      agent,
      message: opener,
      session: ann,
      ports: { ...ports, models },
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

/** Writes the file and trusts it like `conduct trust`; the other file of the folder is unchanged. */
async function trustHouse({ workspace, home }: KitPlace, text: string): Promise<void> {
  await mkdir(dirname(join(workspace, HOUSE)), { recursive: true });
  await writeFile(join(workspace, HOUSE), `${text}\n`);
  const store = trustStore(home);
  const found = await trustCandidates(workspace, store);
  const usable = found.filter((one) => one.kind === "usable").filter(({ name }) => name === HOUSE);
  check(usable.length === 1, `${HOUSE} cannot be trusted`);
  await store.trust(usable);
}
