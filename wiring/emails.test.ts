import { afterAll, beforeAll, describe, expect } from "vitest";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { type SmtpServer, startSmtpServer } from "../src/testing/test/smtp-server.ts";
import { type Gateway, Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
let model: ModelServer;
let gateway: Gateway;
let mail: SmtpServer;

const CONFIG = (url: string) => `
gateway:
  emails:
    team: { to: [ann@example.org], from: conduct@example.org }
    ops: { to: [bob@example.org], from: conduct@example.org, events: [denials] }
agents:
  clerk:
    model: own/scripted
    tools: [{ name: read_file, paths: { path: read } }]
    rules: [{ id: no-notes, on: read_file, why: No notes. }]
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
`;

beforeAll(async () => {
  mail = await startSmtpServer();
  machine.onClose(() => mail.close());
  model = await machine.model(() => ({ text: "done" }));
  machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl) });
});
afterAll(() => machine.close());

const to = (address: string) => mail.mails.filter((one) => one.to.includes(address)).map(({ data }) => data);

describe("e-mails", () => {
  wired(
    "CONDUCT_SMTP_URL",
    "WIR-996 without a mail server the configuration is refused, and says what to set",
    async () => {
      const { code, out, err } = await machine.conduct(["config", "check"]);
      expect(code).not.toBe(0);
      expect(out + err).toContain("CONDUCT_SMTP_URL is not set");
    },
  );
  wired(
    ["CONDUCT_SMTP_URL", "gateway.emails", "gateway.emails.*.to", "gateway.emails.*.from", "gateway.emails.*.events"],
    "WIR-997 denials and digests arrive by e-mail at those who want them, and are in the log",
    async () => {
      gateway = await machine.gateway([], { CONDUCT_SMTP_URL: mail.url });
      await gateway.play(model, "clerk", [["read_file", { path: "notes.txt" }]]);
      await expect
        .poll(() => to("bob@example.org").join())
        .toContain("Subject: Conduct: A call of clerk was denied: no-notes");
      await gateway.operator.call("POST /api/review/run", {});
      await expect.poll(() => to("ann@example.org").join()).toContain("Subject: Conduct: Daily review");
      expect(to("ann@example.org").join()).toContain("From: conduct@example.org");
      expect(to("bob@example.org").join()).not.toContain("Daily review");
      expect((await machine.conduct(["webhooks", "log", "--webhook", "team"])).out).toContain("digest.ready");
    },
  );
});
