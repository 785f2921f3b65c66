import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../../base/ports/clock.ts";
import type { Conversation } from "../../../../base/words/hosting/conversation.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import { nodeIds } from "../../../../edge/host/node/node-ids.ts";
import { loadConfigFile } from "../../../../edge/host/opening/load-config.ts";
import { openConduct } from "../../../../edge/host/opening/open-conduct.ts";
import { keptResults } from "../../../../edge/stores/files/folder-results.ts";
import { homeStores } from "../../../../edge/stores/home-stores.ts";
import type { Session } from "../../../../engine/session/session.ts";
import { conductClient } from "../../client.ts";
import { openGateway } from "../../gateway.ts";
import type { Gateway } from "../../gateway-options.ts";
import { DAY_CONFIG } from "./day-config.ts";
import { dayModel } from "./day-model.ts";
import { DAY_DIRECTIVES, DAY_PEOPLE, DAY_TURNS, type DayTurn } from "./day-script.ts";
import { dayPlugin } from "./day-tools.ts";

const MINUTE_MS = 60_000;
/** When the daily review runs, in minutes before the demo starts. */
const REVIEW_AGO = 180;
/** Written last: a folder without it was not filled completely. */
const FILLED = "demo-day.json";

/**
 * Fills the home with the demo day, unless that was done before. A gateway of its own plays the day with a scripted
 * model and a clock that is set to the time of each turn, so everything in the store is what the engine really does.
 */
export async function fillDay(home: string, report: (line: string) => void): Promise<void> {
  if (existsSync(join(home, FILLED))) return;
  // A start that was interrupted leaves half a day.
  for (const folder of [home, `${home}-work`]) await rm(folder, { recursive: true, force: true });
  await mkdir(home, { recursive: true, mode: 0o700 });
  await writeFile(join(home, "conduct.yaml"), DAY_CONFIG);
  await playDay(home, report);
  await writeFile(join(home, FILLED), `${JSON.stringify({ filledAt: Date.now() })}\n`);
}

/** A clock that goes from one turn to the next; between them it stands still. */
function dayClock(start: number) {
  let at = start;
  const clock: Clock = { now: () => at, monotonic: () => at - start };
  return {
    clock,
    pass(ms: number): void {
      at += ms;
    },
    goTo(time: number): void {
      at = Math.max(at, time);
    },
  };
}

async function playDay(home: string, report: (line: string) => void): Promise<void> {
  const loaded = await loadConfigFile(join(home, "conduct.yaml"));
  if ("error" in loaded) throw new Error(loaded.error.message);
  if ("faults" in loaded.parsed) throw new Error("the configuration of the demo day is invalid");
  const { agents, configs } = loaded.parsed;
  const end = Date.now();
  const time = dayClock(end - 1_440 * MINUTE_MS);
  const { clock } = time;
  // The same pauses on every start: between 1.2 and 5 seconds for the model, less for tools.
  let turns = 0;
  const model = dayModel({ now: clock.now, onCall: () => time.pass(1_200 + ((turns++ * 977) % 3_800)) });
  const file = join(home, "conduct.db");
  const stores = homeStores({ kind: "sqlite", file });
  const conduct = openConduct({
    ...{
      agents,
      home,
      workspace: home,
      store: file,
      plugins: [dayPlugin],
      keys: process.env.CONDUCT_KEYS || undefined,
    },
    ports: { clock, results: keptResults(home, stores.keys) },
  });
  conduct.subscribe((event) => {
    if (event.type === "call") time.pass(150 + ((turns++ * 613) % 1_900));
  });
  await using opened = new AsyncDisposableStack();
  opened.defer(() => stores.close());
  opened.defer(() => conduct.close());
  for (const person of DAY_PEOPLE) await stores.users.add({ ...person, at: clock.now() });
  const definitions = Object.fromEntries(
    agents.map(({ name }, at) => [name, JSON.parse(JSON.stringify(configs[at])) as JsonObject]),
  );
  const { conversations } = stores;
  const gateway = await openGateway({
    ...{ conduct, clock, home, definitions, report, models: model.models, port: 0 },
    stores: {
      ...stores,
      // The runtime writes the machine's time into its transcript.
      conversations: {
        ...conversations,
        append: (id, after, entries, when) =>
          conversations.append(
            id,
            after,
            entries.map((entry) => ({ ...entry, timestamp: clock.now() })),
            when,
          ),
      },
    },
    review: { config: { runner: "off" } },
    console: async () => ({ missing: "the demo day is being written" }),
  });
  opened.defer(() => gateway.close());
  const { secret } = await gateway.access.newToken("operator", "demo day");
  const client = conductClient({ url: gateway.url, token: secret });
  const world = { gateway, model, time, threads: new Map<string, Conversation>() };
  const acts: readonly { readonly ago: number; readonly run: () => Promise<unknown> }[] = [
    ...DAY_TURNS.map((turn) => ({ ago: turn.ago, run: () => playTurn(world, turn) })),
    ...DAY_DIRECTIVES.map(({ ago, body }) => ({
      ago,
      run: () => client.call("POST /api/contract/directives", { body }),
    })),
    { ago: REVIEW_AGO, run: () => client.call("POST /api/review/run") },
  ];
  for (const { ago, run } of acts.toSorted((a, b) => b.ago - a.ago)) {
    time.goTo(end - ago * MINUTE_MS);
    await run();
  }
  await gateway.access.signOut(secret);
}

type DayWorld = {
  readonly gateway: Gateway;
  readonly model: ReturnType<typeof dayModel>;
  readonly time: ReturnType<typeof dayClock>;
  readonly threads: Map<string, Conversation>;
};

async function playTurn({ gateway, model, time, threads }: DayWorld, turn: DayTurn): Promise<void> {
  const { agent, user, channel } = turn;
  const address = channel === "telegram" ? `demo-${turn.thread}` : undefined;
  const known = threads.get(turn.thread);
  const conversation = known ?? (await gateway.conversations.start({ agent, user, channel, address }));
  threads.set(turn.thread, conversation);
  model.script(turn.replies);
  const stop = gateway.approvals.onAsked(({ approval }) => {
    time.pass(42_000);
    void gateway.approvals.answer(approval, { answer: turn.answer ?? "no", by: "operator" }, time.clock.now());
  });
  const role = DAY_PEOPLE.find(({ id }) => id === user)?.role ?? "user";
  const submitted = await gateway.conversations.submit(conversation, { text: turn.say, sender: { user, role } });
  if (turn.helper !== undefined) await playHelper(gateway, conversation, turn.helper, time);
  await gateway.conversations.ended(submitted);
  stop();
}

/** A subagent has no runtime of its own here: its moments are those that a runtime would report. */
async function playHelper(
  { conversations }: Gateway,
  conversation: Conversation,
  { asks, calls }: NonNullable<DayTurn["helper"]>,
  time: DayWorld["time"],
): Promise<void> {
  const ids = nodeIds();
  const child: Session = (await conversations.session(conversation)).child(ids.next("s"));
  await child.onMessage({ text: asks });
  await child.onPrompt();
  for (const [tool, args] of calls) {
    const call = { id: ids.next("c"), tool, args };
    if ((await child.decide(call)).kind !== "allow") continue;
    time.pass(400);
    await child.onResult(call, { outcome: "ok", parts: [{ kind: "text", text: "38 tests passed in 4.1 s" }] });
  }
  await child.onStop();
}
