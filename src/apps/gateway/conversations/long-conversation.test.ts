import type { StreamFn } from "@earendil-works/pi-agent-core";
import { afterEach, describe, expect, it } from "vitest";
import type { GatewayModels } from "../agents/models.ts";
import { openDemoModel } from "../demo/demo-model.ts";
import { say, testConversations } from "../test/test-gateway.ts";

const WEB = { agent: "demo", user: "ann", channel: "web" };
const WINDOW = 24_000;
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const NOTES = {
  goal: "Keep LOG-4711 going.",
  decisions: ["the box is blue"],
  open: ["paint it"],
  files: [],
  errors: [],
};

/** Answers one question with a text. */
async function answers(text: string): Promise<StreamFn> {
  const { createFauxCore, fauxAssistantMessage } = await import("@earendil-works/pi-ai/providers/faux");
  const core = createFauxCore({});
  core.appendResponses([fauxAssistantMessage(text)]);
  return (_, context, more) => core.streamSimple(core.getModel(), context, more);
}

/** The demo model with a small window, and the requests that it got. With `notes` it can write those too. */
function smallWindow(notes?: object): { readonly models: GatewayModels; readonly requests: string[] } {
  const requests: string[] = [];
  const models: GatewayModels = {
    nameOf: async () => "demo/habits",
    async of() {
      const { model, stream } = await openDemoModel();
      return {
        model: { ...model, contextWindow: WINDOW },
        async stream(asked, context, more) {
          const request = JSON.stringify(context.messages);
          requests.push(request);
          const noting = notes !== undefined && request.includes("You keep the notes of an agent");
          return noting ? (await answers(JSON.stringify(notes)))(asked, context, more) : stream(asked, context, more);
        },
      };
    },
  };
  return { models, requests };
}

function world(notes?: object) {
  const { models, requests } = smallWindow(notes);
  const made = testConversations({ models });
  closing.push(async () => made.remove());
  function open() {
    const opened = made.open();
    let closed = false;
    async function close() {
      if (closed) return;
      closed = true;
      await opened.conversations.close();
      await opened.conduct.close();
    }
    closing.push(close);
    return { ...opened, close };
  }
  return { ...made, requests, open };
}

const FILLER = "The shelf holds blue and green boxes of several sizes. ".repeat(160);

describe("a long conversation on the Pi runtime", () => {
  it("L07 L10 a long conversation is compacted when necessary, the person is informed, and a restart continues from there", async () => {
    const { open, store, requests } = world();
    const first = open();
    const conversation = await first.conversations.start(WEB);
    const markers = async () =>
      (await store.transcript(conversation.id)).filter(({ entry }) => entry.role === "compaction").length;
    await say(first.conversations, conversation, "Remember the ticket LOG-4711 for this work.");
    let turns = 0;
    while ((await markers()) === 0) {
      turns += 1;
      if (turns > 40) throw new Error("it was never compacted");
      const ended = await say(first.conversations, conversation, `read README.md (${turns}) ${FILLER}`);
      expect(ended.status).toBe("complete");
    }
    // What the marker speaks of stands before it.
    const entries = (await store.transcript(conversation.id)).map(({ entry }) => entry);
    const marker = entries.findIndex(({ role }) => role === "compaction");
    expect(entries[marker - 1]?.role).not.toBe("assistant");
    expect(entries.slice(0, marker).length).toBeGreaterThan(Number(entries[marker]?.cut));
    const notes = first.updates.flatMap((update) => (update.kind === "note" ? [update.text] : []));
    expect(notes.filter((note) => note.startsWith("The conversation was compacted"))).toHaveLength(1);
    const notices = first.events.flatMap((event) =>
      event.type === "notice" && event.notice.kind === "compacted" ? [event.notice] : [],
    );
    expect(notices).toHaveLength(1);
    const [notice] = notices;
    expect(notice?.messages).toBeGreaterThan(2);
    expect(notice?.calls).toHaveProperty("read_file");
    expect(notice?.after).toBeLessThan((notice?.before ?? 0) / 1.5);
    const last = requests.at(-1) ?? "";
    expect(last).toContain("LOG-4711");
    expect(last).toContain("were removed to fit the model's window");
    expect(last).toContain(`(${turns})`);
    await first.close();

    const second = open();
    const ended = await say(second.conversations, conversation, "hello");
    expect(ended.status).toBe("complete");
    expect(await markers()).toBe(1);
    const after = requests.at(-1) ?? "";
    expect(after).toContain("LOG-4711");
    expect(after).toContain("were removed to fit the model's window");
    expect(after.length).toBeLessThan(WINDOW * 6);
  });

  it("L05 the agent's own model writes the notes, and the session's budget pays for them", async () => {
    const { open, requests } = world(NOTES);
    const { conversations, updates, events } = open();
    const conversation = await conversations.start(WEB);
    await say(conversations, conversation, "The ticket is LOG-4711.");
    const compacted = () =>
      updates.flatMap((update) =>
        update.kind === "note" && update.text.includes("was compacted") ? [update.text] : [],
      );
    for (let turn = 1; compacted().length === 0; turn++) {
      if (turn > 40) throw new Error("it was never compacted");
      await say(conversations, conversation, `read README.md ${FILLER}`);
    }
    expect(compacted()[0]).toContain("were replaced by a summary");
    expect(requests.at(-1)).toContain("the box is blue");
    const asked = requests.filter((request) => request.includes("You keep the notes of an agent"));
    expect(asked).toHaveLength(1);
    const paid = events.filter(
      (event) => event.type === "notice" && event.notice.kind === "usage" && event.notice.reservation,
    );
    expect(paid).toHaveLength(1);
  });

  it("L04 a message that is too long for the window fails with advice, and a new conversation works", async () => {
    const { open } = world();
    const { conversations } = open();
    const conversation = await conversations.start(WEB);
    const ended = await say(conversations, conversation, FILLER.repeat(20));
    expect(ended).toMatchObject({ status: "failed", why: expect.stringContaining("Start a new conversation") });
    const other = await conversations.start(WEB);
    expect(await say(conversations, other, "hello")).toMatchObject({ status: "complete" });
  });
});
