import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../../src/edge/stores/test/servers/server.ts";
import { startBotApi } from "../../../src/testing/test/bot-api.ts";
import { type ModelRequest, type ModelServer, startModelServer } from "../../../src/testing/test/model-server/index.ts";
import type { Attack } from "../attack.ts";
import type { AttackWorld, RunningGateway } from "../world.ts";

const SLOW_MS = 5_000;
const SESSIONS = 6;
const MESSAGES = 8;
/** Turns take a while, so that some are always running or queued. */
const THINK_MS = 400;
const WRITER = `
agents:
  writer:
    model: own/scripted
    tools: [{ name: shell, args: [command] }]
models:
  own/scripted: { baseUrl: "URL", api: openai-completions, key: SCRIPTED_KEY }
`;

/** Messages that arrive while the gateway starts. */
export const attack: Attack = {
  id: "03-start-twice",
  title: "A message that arrives during the start runs twice",
  cases: [
    {
      name: "Flood the port while Telegram's getMe takes 5 s, and count the side effects of each message",
      run: floodTheStart,
    },
    {
      name: "Kill the gateway with messages queued, then flood the next start",
      run: async (world) => floodTheStart(world, true),
    },
  ],
};

async function floodTheStart(world: AttackWorld, leavesQueue = false) {
  const model = await startModelServer({ script: answerOf });
  world.onClose(() => model.close());
  const bot = await startBotApi();
  world.onClose(() => bot.close());
  bot.delay("getMe", SLOW_MS);
  const config = WRITER.replace("URL", model.openaiUrl);
  const env = { SCRIPTED_KEY: "none" };

  const first = await world.gateway({ config, env });
  const sessions = await Promise.all(
    Array.from({ length: SESSIONS }, () => first.client().call("POST /api/sessions", { body: { agent: "writer" } })),
  );
  const acknowledged: string[] = [];
  if (leavesQueue) acknowledged.push(...(await queueBehindAHang(first, model, sessions)));
  await first.kill();

  model.setScript(answerOf);
  const port = await freePort();
  const flood = startFlood(
    `http://127.0.0.1:${port}`,
    sessions.map(({ id }) => id),
    acknowledged,
  );
  const second = await world.gateway({
    env: { ...env, TELEGRAM_BOT_TOKEN: bot.token, TELEGRAM_API_ROOT: bot.url },
    args: ["--port", String(port)],
  });
  await sleep(SLOW_MS + 500);
  await flood.stop();
  const { client } = second;
  for (const { id } of sessions) await settled(client(), id);
  const ran = sideEffects(world);
  const twice = acknowledged.filter((one) => (ran.get(one) ?? 0) > 1).length;
  const never = acknowledged.filter((one) => !ran.has(one)).length;
  return {
    tried: acknowledged.length,
    held: acknowledged.length - twice - never,
    note: `${acknowledged.length} messages were acknowledged: ${twice} ran twice, ${never} never ran.`,
  };
}

/** Writes the marker of the newest message to a file, then answers. */
const answerOf = async ({ history }: ModelRequest) => {
  await sleep(THINK_MS);
  const last = history.at(-1);
  const marker = last?.kind === "text" ? /\bm-[\w-]+/.exec(last.text)?.[0] : undefined;
  return marker === undefined
    ? { text: "Done." }
    : { calls: [{ name: "shell", input: { command: `echo ${marker} >> ran.txt` } }] };
};

/** The first message of each conversation waits for the model; two more queue behind it. */
async function queueBehindAHang(
  { client }: RunningGateway,
  model: ModelServer,
  sessions: readonly { readonly id: string }[],
): Promise<readonly string[]> {
  model.setScript(() => ({ broken: "hangs" }));
  const queued: string[] = [];
  for (const [at, { id }] of sessions.entries())
    for (const name of ["hangs", `m-left-${at}-a`, `m-left-${at}-b`]) {
      await client().call("POST /api/sessions/{id}/messages", { params: { id }, body: { text: `write ${name}` } });
      if (name !== "hangs") queued.push(name);
    }
  return queued;
}

/** Sends messages continuously, starting before the port is open. Adds each accepted message to `acknowledged`. */
function startFlood(url: string, sessions: readonly string[], acknowledged: string[]) {
  const end = new AbortController();
  const senders = sessions.map(async (id, sender) => {
    for (let count = 0; count < MESSAGES && !end.signal.aborted; ) {
      const marker = `m-${sender}-${count}`;
      const reply = await fetch(`${url}/api/sessions/${id}/messages`, {
        method: "POST",
        headers: { authorization: "Bearer attack-operator-token-0123456789abcdef", "content-type": "application/json" },
        body: JSON.stringify({ text: `write ${marker}`, messageId: marker }),
      }).catch(() => undefined);
      if (reply?.ok === true) {
        acknowledged.push(marker);
        count += 1;
      }
      await reply?.body?.cancel();
      await sleep(25);
    }
  });
  return {
    async stop() {
      end.abort();
      await Promise.all(senders);
    },
  };
}

async function settled(client: ReturnType<RunningGateway["client"]>, id: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const { turns } = await client.call("GET /api/sessions/{id}", { params: { id } });
    if (turns.every(({ status }) => status !== "queued" && status !== "running")) return;
    await sleep(200);
  }
  throw new Error("the turns did not end in time");
}

function sideEffects({ home }: AttackWorld): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const file of globSync(join(`${home}-work`, "**", "ran.txt"))) {
    if (!existsSync(file)) continue;
    for (const line of readFileSync(file, "utf8").split("\n").filter(Boolean))
      counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return counts;
}
