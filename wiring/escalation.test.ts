import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { type BotApi, startBotApi } from "../src/testing/test/bot-api.ts";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { type SlackApi, startSlackApi } from "../src/testing/test/slack-api.ts";
import { type Gateway, Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
let model: ModelServer;
let gateway: Gateway;
let bot: BotApi;
let slack: SlackApi;
const posted: string[] = [];
const ANN = 4711;

const CONFIG = (url: string, hook: string) => `
plugins: [./audit.mjs]
gateway: { webhook: "${hook}" }
channels: { telegram: { operators: [${ANN}] }, slack: { operators: [UBOSS0001] } }
agents:
  clerk:
    model: own/scripted
    tools: [{ name: audit }]
    trustedTools: [{ tool: audit }]
    promptContributors: [{ id: house, content: House rules apply. }]
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
`;

const AUDIT = `export default { name: "audit", setup(api) {
  api.registerTool({
    name: "audit",
    description: "Audits the books",
    parameters: { type: "object", properties: {} },
    run: () => ({ found: "a gap", __directives: { requireBeforeNext: ["verify_context"], escalateToOwner: true } }),
  });
} };`;

beforeAll(async () => {
  const server = createServer(async (request, response) => {
    posted.push(await text(request));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  machine.onClose(() => server.close());
  bot = await startBotApi();
  slack = await startSlackApi();
  machine.onClose(() => Promise.all([bot.close(), slack.close()]));
  model = await machine.model();
  const hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl, hook), ".conduct/audit.mjs": AUDIT });
  gateway = await machine.gateway([], {
    ...{ TELEGRAM_BOT_TOKEN: bot.token, TELEGRAM_API_ROOT: bot.url },
    ...{ SLACK_BOT_TOKEN: slack.token, SLACK_SIGNING_SECRET: slack.secret, SLACK_API_ROOT: slack.url },
  });
});
afterAll(() => machine.close());

describe("a tool that asks the operator for a review", () => {
  wired(
    ["gateway.webhook", "agents.*.trustedTools", "agents.*.trustedTools[].tool"],
    "WIR-170 tells the operator by webhook, on Telegram, in Slack, in the gateway's output and in watch",
    async () => {
      const [result] = await gateway.play(model, "clerk", [["audit", {}]]);
      expect(result).toContain("a gap");
      expect(result).not.toContain("__directives");
      await expect.poll(() => posted.length).toBe(1);
      expect(JSON.parse(posted[0] ?? "")).toMatchObject({
        ...{ event: "escalation", agent: "clerk", tool: "audit", requireBeforeNext: ["verify_context"] },
        link: expect.stringContaining(`${gateway.url}/sessions/`),
      });
      const told = () =>
        bot.calls.filter(({ method, body }) => method === "sendMessage" && body.chat_id === String(ANN));
      await expect
        .poll(() => String(told()[0]?.body.text))
        .toMatch(/audit asks the operator to review session .*\n.*http/s);
      const inSlack = () => slack.calls.find(({ method }) => method === "chat.postMessage")?.body.text;
      await expect.poll(inSlack).toBe(told()[0]?.body.text);
      expect(await gateway.line("audit asks the operator to review")).toContain("/sessions/");
      const watched = async () => (await machine.conduct(["watch", "--once"])).out.replace(/\s+/g, " ");
      await expect.poll(watched).toContain("a review by the operator");
    },
  );
  wired(
    "agents.*.promptContributors",
    "WIR-171 the prompt of a subagent has the contributors of the file",
    async () => {
      const { out } = await machine.conduct(["prompt", "preview", "--agent", "clerk", "--mode", "minimal"]);
      expect(out).toContain("House rules apply.");
    },
  );
});
