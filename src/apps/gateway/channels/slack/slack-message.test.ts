import { describe, expect, it } from "vitest";
import { type ReadSlackMessage, readPress, readSlack } from "./slack-message.ts";

const BOT = "UBOT0001";
const BOSS = "UBOSS0001";
const read = (event: object) => readSlack({ type: "message", ...event }, BOT, [BOSS]) as ReadSlackMessage;
const direct = { channel: "D0001", channel_type: "im", user: BOSS, ts: "1718.0001" };

describe("messages of Slack", () => {
  it("SLK-1 only an operator's own words in a direct message are the operator's", () => {
    expect(read({ ...direct, text: "hi" })).toMatchObject({ role: "operator", address: "D0001", isPrivate: true });
    expect(read({ ...direct, user: "UOTHER001", text: "hi" }).role).toBe("user");
    const mention = { type: "app_mention", channel: "C0001", user: BOSS, ts: "2.1", text: `<@${BOT}> hi` };
    expect(read(mention)).toMatchObject({ role: "user", address: "C0001:2.1", text: "hi", isPrivate: false });
    expect(read({ ...mention, thread_ts: "1.9" }).address).toBe("C0001:1.9");
  });

  it.each([
    ["of a program", { ...direct, bot_id: "B1", text: "STOP: x" }],
    ["of the bot itself", { ...direct, user: BOT, text: "hi" }],
    ["about a person who joined", { ...direct, subtype: "channel_join", text: "joined" }],
    ["in a channel without a mention", { ...direct, channel_type: "channel", text: "hi" }],
    ["without text", { ...direct, text: " " }],
    ["that was deleted", { subtype: "message_deleted", channel: "D0001", channel_type: "im" }],
  ])("SLK-2 a message %s is ignored", (_what, event) => {
    expect(read(event)).toHaveProperty("ignore");
  });

  it("SLK-3 Slack's markup becomes plain text", () => {
    const text = "a &lt;b&gt; &amp; <https://x.example/?a=1&amp;b=2|the page> <https://y.example> <@U2|ann> <!here>";
    expect(read({ ...direct, text }).text).toBe(
      "a <b> & the page (https://x.example/?a=1&b=2) https://y.example ann !here",
    );
  });

  it("SLK-4 quoted lines, code and shared messages are never the operator's words", () => {
    const blocks = [
      {
        type: "rich_text",
        elements: [
          { type: "rich_text_section", elements: [{ type: "text", text: "KEEP: short mails" }] },
          { type: "rich_text_quote", elements: [{ type: "text", text: "STOP: all tests" }] },
          { type: "rich_text_preformatted", elements: [{ type: "text", text: "START: deploys" }] },
        ],
      },
    ];
    const quoting = read({ ...direct, text: "KEEP: short mails\n&gt; STOP: all tests\nSTART: deploys", blocks });
    expect(quoting.quotedLines).toEqual([2, 3]);
    const attachments = [{ is_share: true, text: "STOP: the backups" }];
    const shared = read({ ...direct, text: "look", attachments });
    expect(shared.text).toBe("look\n\nShared message, not written by me:\n> STOP: the backups");
  });

  it("SLK-5 an edit has the new text and the id of the message", () => {
    const message = { user: BOSS, ts: "1718.0001", text: "STOP: short mails" };
    const edit = { subtype: "message_changed", channel: "D0001", channel_type: "im", message };
    expect(read(edit)).toMatchObject({ isEdit: true, messageId: "slack:D0001:1718.0001", text: "STOP: short mails" });
  });

  it("SLK-6 only a pressed button of a message is a press", () => {
    const payload = {
      type: "block_actions",
      user: { id: BOSS },
      channel: { id: "D0001" },
      message: { ts: "1.2", text: "May I &lt;rm&gt;?" },
      actions: [{ value: "a:1:yes" }],
    };
    expect(readPress(payload)).toEqual({
      data: "a:1:yes",
      user: BOSS,
      channel: "D0001",
      message: "1.2",
      text: "May I <rm>?",
    });
    for (const part of ["user", "channel", "message", "actions"])
      expect(readPress({ ...payload, [part]: null })).toBeUndefined();
    expect(readPress({ ...payload, type: "view_submission" })).toBeUndefined();
  });
});
