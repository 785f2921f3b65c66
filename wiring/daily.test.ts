import { afterAll, beforeAll, describe, expect } from "vitest";
import type { BotApi } from "../src/testing/test/bot-api.ts";
import { startBotApi } from "../src/testing/test/bot-api.ts";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
let bot: BotApi;
let model: ModelServer;
const ANN = 4711;
const MINUTE = 60_000;

const CONFIG = (url: string, { at, cron }: { readonly at: string; readonly cron: string }) => `
agents: { clerk: { model: own/scripted } }
channels: { telegram: { operators: [${ANN}] } }
review: { at: "${at}", zone: Asia/Tokyo, model: own/scripted, threshold: 0.2, digest: { file: digests/today.md, telegram: ${ANN} } }
schedules: [{ id: tea, agent: clerk, user: ann, cron: "${cron}", zone: Asia/Tokyo, say: It is tea time. }]
models: { own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY } }
`;

/** Tells the reviewing model's finding, which is too unsure for the default threshold; everybody else hears "done". */
const answer: Parameters<ModelServer["setScript"]>[0] = ({ raw, lastUserText }) => {
  if (!raw.includes("You read what people said to an assistant")) return { text: "done" };
  const event = /id="([^"]+)" kind="[^"]*">[^<]*green tables/.exec(lastUserText)?.[1] ?? "";
  const finding = { type: "more", text: "green tables", event, quote: "love green tables so", confidence: 0.3 };
  return { text: JSON.stringify({ findings: [finding] }) };
};

beforeAll(async () => {
  bot = await startBotApi();
  machine.onClose(() => bot.close());
  model = await machine.model(answer);
  machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl, { at: "00:00", cron: "0 0 1 1 *" }) });
  const telegram = { TELEGRAM_BOT_TOKEN: bot.token, TELEGRAM_API_ROOT: bot.url };
  const first = await machine.gateway([], telegram);
  await first.say("clerk", "I love green tables so much.", await first.person("ann"));
  await first.close();
  // The next whole minute that leaves time for a start, on the clocks of Tokyo.
  const due = new Date(Math.ceil((Date.now() + 15_000) / MINUTE) * MINUTE + 9 * 60 * MINUTE);
  const [hour, minute] = [due.getUTCHours(), due.getUTCMinutes()];
  const at = `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
  machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl, { at, cron: `${minute} ${hour} * * *` }) });
  await machine.gateway([], telegram);
});
afterAll(() => machine.close());

describe("what the gateway does once a day", () => {
  wired(
    [
      "review",
      "review.at",
      "review.zone",
      "review.model",
      "review.threshold",
      "review.digest",
      "review.digest.file",
      "review.digest.telegram",
    ],
    "WIR-470 at its time in its zone the review proposes what its model found above its threshold, and sends the digest",
    async () => {
      await expect
        .poll(() => machine.read(".conduct/digests/today.md"), { timeout: 120_000 })
        .toContain("green tables");
      const sent = () => bot.calls.filter(({ body }) => String(body.chat_id) === String(ANN));
      await expect.poll(() => JSON.stringify(sent())).toContain("green tables");
      expect((await machine.conduct(["review", "list"])).out).toContain("MORE: green tables");
    },
  );
  wired("schedules[].zone", "WIR-471 a schedule runs at the time of its zone", async () => {
    await expect
      .poll(() => model.requests.some(({ raw }) => raw.includes("It is tea time.")), { timeout: 120_000 })
      .toBe(true);
  });
});
