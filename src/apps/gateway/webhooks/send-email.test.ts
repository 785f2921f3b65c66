import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Delivery } from "../../../base/ports/stores/hosting/deliveries.ts";
import type { Mailbox } from "../../../edge/host/opening/load-outgoing.ts";
import { type SmtpServer, startSmtpServer } from "../../../testing/test/smtp-server.ts";
import { emailOf, sendEmail } from "./send-email.ts";

let server: SmtpServer;
beforeAll(async () => {
  server = await startSmtpServer();
});
afterAll(() => server.close());

const box = (more: Partial<Mailbox> = {}): Mailbox => ({
  ...{ kind: "email", name: "team", to: ["ann@example.org", "bob@example.org"], from: "conduct@example.org" },
  ...{ topics: ["digests"], server: server.url, ...more },
});
const delivery = (data: object, type = "digest.ready", attempts = 0): Delivery => ({
  ...{ id: "msg_0123456789abcdef", webhook: "team", type, at: 0, state: "waiting", attempts, nextAt: 0 },
  body: JSON.stringify({ type, timestamp: "2026-03-06T09:00:00Z", data }),
});
const how = () => ({ now: () => 1_000, signal: new AbortController().signal });

describe("e-mails about events", () => {
  it("EML-1 a digest arrives as plain text at everybody, with the id of its delivery", async () => {
    const sent = await sendEmail(box(), delivery({ proposals: [{}, {}], markdown: "# Digest\n\nÜber **all**" }), how());
    expect(sent).toMatchObject({ state: "delivered", attempts: 1 });
    const mail = server.mails.at(-1);
    expect(mail).toMatchObject({ from: "conduct@example.org", to: ["ann@example.org", "bob@example.org"] });
    expect(mail?.data).toContain("Subject: Conduct: Daily review: 2 proposals");
    expect(mail?.data).toContain("Message-ID: <msg_0123456789abcdef@example.org>");
    expect(mail?.data).toContain("Content-Type: text/plain; charset=utf-8");
  });

  it("EML-2 no text of an event adds a header or a receiver", async () => {
    const data = { agent: "a\r\nBcc: eve@example.org\r\n\r\nhello", rule: "r\u2028X-Other: 1" };
    expect(emailOf(delivery(data, "call.denied").body).subject).not.toMatch(/[\r\n\u2028]/);
    await sendEmail(box(), delivery(data, "call.denied"), how());
    const mail = server.mails.at(-1);
    const headers = mail?.data.split("\r\n\r\n")[0]?.split("\r\n") ?? [];
    expect(headers.filter((line) => /^(?:bcc|x-other):/i.test(line))).toEqual([]);
    expect(mail?.to).toEqual(["ann@example.org", "bob@example.org"]);
  });

  it.each([
    ["a passing refusal is tried again", "MAIL", "451 try later", "waiting"],
    ["an unknown sender ends the delivery", "MAIL", "550 no such sender", "failed"],
    ["a missing login is tried again", "MAIL", "530 login first", "waiting"],
  ])("EML-3 %s", async (_what, command, answer, state) => {
    server.refuse(command, answer);
    expect(await sendEmail(box(), delivery({ markdown: "x" }), how())).toMatchObject({
      state,
      result: expect.stringContaining(answer.slice(4)),
    });
  });

  it("EML-4 a server that is gone is tried again, and the password is in no result", async () => {
    const gone = await sendEmail(box({ server: "smtp://u:hunter22@127.0.0.1:1" }), delivery({ markdown: "x" }), how());
    expect(gone).toMatchObject({ state: "waiting", attempts: 1 });
    expect(gone.result).not.toContain("hunter22");
  });

  it("EML-5 a password is not sent to another machine without encryption", async () => {
    const { port } = new URL(server.url);
    const before = server.mails.length;
    const plain = box({ server: `smtp://u:secret@0.0.0.0:${port}` });
    expect((await sendEmail(plain, delivery({ markdown: "x" }), how())).state).toBe("waiting");
    expect(server.mails).toHaveLength(before);
  });

  it("EML-6 one refused receiver is named, and the others get the e-mail", async () => {
    server.refuse("RCPT TO:<ANN", "550 unknown");
    const sent = await sendEmail(box(), delivery({ markdown: "x" }), how());
    expect(sent).toMatchObject({ state: "delivered", result: expect.stringContaining("rejected for ann@example.org") });
    expect(server.mails.at(-1)?.to).toEqual(["bob@example.org"]);
  });
});
