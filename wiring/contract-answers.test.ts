import { afterEach, describe, expect } from "vitest";
import { startCollector } from "../src/edge/host/telemetry/test/telemetry-test-collector.ts";
import { startBotApi } from "../src/testing/test/bot-api.ts";
import { type Gateway, Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const OPERATOR = 11;
const USER = 12;

const machines: Machine[] = [];
afterEach(async () => {
  for (const one of machines.splice(0)) await one.close();
});

async function start(env: NodeJS.ProcessEnv = {}) {
  const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
  machines.push(machine);
  const model = await machine.model(() => ({ text: "Done." }));
  machine.write({
    ".conduct/conduct.yaml": `
agents: { clerk: { model: own/scripted, tools: [] } }
models: { own/scripted: { baseUrl: "${model.openaiUrl}", api: openai-completions, key: SCRIPTED_KEY } }
channels: { telegram: { operators: [${OPERATOR}], strangers: welcome } }
review: { threshold: 0.1, runner: "off" }
`,
  });
  return { machine, model, gateway: await machine.gateway([], env) };
}

/** A conversation; `messageId` as a client sends it that may deliver twice. */
async function talk({ operator }: Gateway, client = operator) {
  const { id } = await client.call("POST /api/sessions", { body: { agent: "clerk" } });
  return async (text: string, messageId?: string): Promise<string> => {
    const message = { params: { id }, query: { wait: "true" as const }, body: { text, messageId } };
    const { answer = "", notes = [] } = await client.call("POST /api/sessions/{id}/messages", message);
    return [answer, ...notes].join("\n");
  };
}

describe("what Conduct itself answers about the contract", () => {
  wired(
    "agents",
    "WIR-860 on the web a refused directive, a near miss and a question for the rules are answered without the model",
    async () => {
      const { gateway, model } = await start();
      const say = await talk(gateway);
      expect(await say("KEEP: long reports", "m1")).toContain("Noted.");
      const refused = await say("STOP: long reports");
      expect(refused).toMatch(/^Nothing was changed\.\n\nSTOP: long reports: not added \(BEHAVIOR_CONFLICT\)\. /);
      for (const near of ["STOP:emoji", "STOP：emoji", "STOP : emoji"])
        expect(await say(near)).toMatch(/^Nothing was changed\.[\s\S]*Did you mean 'STOP: emoji'\?/);
      expect(await say("STOP: x")).toMatch(/^Nothing was changed\.[\s\S]*'x' is too short\. Describe it/);
      expect(await say("What are my rules?")).toMatch(
        /- KEEP: long reports \(d_\w+, since [\d-]{10}, from message m1\)/,
      );
      expect(await say(refused.trim().split("\n").at(-1) ?? "")).toMatch(/^Contract changed: replaced 'STOP: long/);
      // Delivered again: the same turn, so the directive does not come back.
      expect(await say("KEEP: long reports", "m1")).toContain("Noted.");
      expect(await say("/contract")).toMatch(/- STOP: long reports \(d_\w+, since [\d-]{10}\)/);
      expect(model.requests).toHaveLength(0);
      // With a task, the model gets the task, and the person still reads what was refused.
      expect(await say("KEEP: long reports\nPlease go on.")).toMatch(
        /^Done\.\nKEEP: long reports: not added \(BEHAVIOR_CONFLICT\)/,
      );
      expect(model.requests.at(-1)?.raw).toContain("- STOP: long reports");
      expect(await say("LESS: chatter until Friday")).toMatch(/sets no expiry.* --expires=7d/);
      const user = await talk(gateway, await gateway.person("ann"));
      expect(await user("/contract")).toContain("Only an operator");
      expect(await user("STOP: all of it")).toContain("only an operator's directives are added");
      expect(model.requests.at(-1)?.raw).not.toContain("- STOP: all of it");
    },
  );

  wired(
    ["channels", "channels.*.operators"],
    "WIR-861 Telegram gets the same answers, and an edited directive is replaced only after a button press",
    async () => {
      const api = await startBotApi();
      const { gateway, model, machine } = await start({ TELEGRAM_BOT_TOKEN: api.token, TELEGRAM_API_ROOT: api.url });
      machine.onClose(() => api.close());
      const from = { id: OPERATOR, is_bot: false, first_name: "Olga" };
      const chat = { id: OPERATOR, type: "private" };
      const message = (message_id: number, text: string) => ({ message_id, date: 1, chat, from, text });
      const sent = async (count: number) => (await api.waitFor("sendMessage", count)).at(-1)?.body ?? {};
      const press = (text: string, data: string, by = from) =>
        api.push({
          callback_query: { id: "q", from: by, chat_instance: "c", data, message: { ...message(90, text), from } },
        });
      const inForce = async () =>
        (await gateway.operator.call("GET /api/contract", {})).contract.directives.map(({ text }) => text);

      api.push({ message: message(1, "KEEP: long reports") });
      expect((await sent(1)).text).toContain("Noted.");
      api.push({ message: message(2, "STOP: long reports") });
      expect((await sent(2)).text).toMatch(/Nothing was changed[\s\S]*\/contract replace d_\w+ STOP: long reports/);
      api.push({ message: message(3, "STOP：redundant") });
      expect((await sent(3)).text).toMatch(/Nothing was changed[\s\S]*Did you mean 'STOP: redundant'\?/);
      api.push({ message: message(4, "what are my rules?") });
      expect((await sent(4)).text).toContain("- KEEP: long reports");
      api.push({ message: message(5, "/contract@conduct_bot") });
      expect((await sent(5)).text).toContain("- KEEP: long reports");

      api.push({ edited_message: { ...message(1, "KEEP: short reports"), edit_date: 2 } });
      const asked = await sent(6);
      expect(asked.text).toMatch(/In force: KEEP: long reports\nNew: KEEP: short reports\n\nReplace it\?/);
      const [[replace, keep] = []] = (asked.reply_markup as { inline_keyboard: { callback_data: string }[][] })
        .inline_keyboard;
      expect(await inForce()).toEqual(["long reports"]);
      press(String(asked.text), keep?.callback_data ?? "");
      await api.waitFor("editMessageText", 1);
      press(String(asked.text), replace?.callback_data ?? "", { ...from, id: 99 });
      await api.waitFor("answerCallbackQuery", 2);
      expect(await inForce()).toEqual(["long reports"]);
      press(String(asked.text), replace?.callback_data ?? "");
      expect((await api.waitFor("editMessageText", 2))[1]?.body.text).toMatch(/✓ replaced · contract v\d+/);
      expect(await inForce()).toEqual(["short reports"]);

      api.push({ message: message(7, "STOP: emoji in answers") });
      await sent(7);
      api.push({ edited_message: { ...message(7, "never mind"), edit_date: 3 } });
      expect((await sent(8)).text).toMatch(/In force: STOP: emoji in answers\n.* Remove it\?$/);
      api.push({ edited_message: { ...message(2, "LESS: small talk"), edit_date: 3 } });
      expect((await sent(9)).text).toMatch(/An edit adds no directive\..*\n- LESS: small talk/);
      const other = { from: { ...from, id: USER }, chat: { ...chat, id: USER } };
      api.push({ message: { ...message(8, "/contract"), ...other } });
      expect((await sent(10)).text).toContain("Only an operator");
      expect(model.requests).toHaveLength(0);
    },
  );

  wired(
    "CONDUCT_CONTRACT_KEYWORDS",
    "WIR-868 an operator's own word for a keyword adds a directive, and a wrong setting ends the start with the form to write",
    async () => {
      const { gateway, model, machine } = await start({ CONDUCT_CONTRACT_KEYWORDS: "STOP=STOPP" });
      const say = await talk(gateway);
      expect(await say("STOPP: lange Berichte")).toContain("Noted.");
      await say("weiter");
      expect(model.requests.at(-1)?.raw).toContain("- STOP: lange Berichte");
      await gateway.stop();
      const { code, err, out } = await machine.conduct(["gateway", "--port", "0"], {
        env: { CONDUCT_CONTRACT_KEYWORDS: "STOP=stopp" },
      });
      expect([code, err + out]).toEqual([1, expect.stringMatching(/CONDUCT_CONTRACT_KEYWORDS: 'STOP=stopp' is not/)]);
    },
  );

  wired(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "WIR-862 changes over the API, by message, a review and a promotion in the gateway reach OpenTelemetry",
    async () => {
      const collector = await startCollector();
      const { gateway, machine } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
      machine.onClose(() => collector.close());
      const { operator } = gateway;
      const say = await talk(gateway);
      const logs = (name: string) => collector.logs().filter(({ eventName }) => eventName === `conduct.${name}`);
      await operator.call("POST /api/contract/directives", { body: { type: "keep", text: "short notes" } });
      await say("STOP: emoji in answers");
      await say("From now on give me short summaries.");
      expect((await operator.call("POST /api/review/run", {})).outcome).toBe("ran");
      const { candidates } = await operator.call("GET /api/candidates", {});
      const id = candidates[0]?.id ?? "none";
      await operator.call("POST /api/candidates/{id}/promote", { params: { id }, body: {} });
      const changes = () => logs("contract_change").map(({ attributes }) => attributes["conduct.contract.change"]);
      await expect.poll(changes).toEqual(["directive-added", "directive-added", "candidate-proposed"]);
      await expect.poll(() => logs("promotion")).toHaveLength(1);
      expect(logs("promotion")[0]?.attributes).toMatchObject({ "conduct.candidate.id": id });
      expect(logs("review")[0]?.attributes).toMatchObject({ "conduct.review.proposed": 1 });
    },
  );
});
