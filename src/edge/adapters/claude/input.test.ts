import { expect, it } from "vitest";
import { openInput } from "./messages.ts";
import type { UserMessage } from "./native.ts";

const said = (content: string): UserMessage => ({ message: { content }, parent_tool_use_id: null });

it("IN-1 a string input is its own first message", async () => {
  const input = await openInput("/think hello");
  const announced: string[] = [];
  expect(input.first?.message.text).toBe("/think hello");
  expect(await input.send(async ({ sent }) => void announced.push(sent))).toBe("hello");
  expect(announced).toEqual(["hello"]);
});

it("IN-2 only a stream's first message is awaited; each is announced before it is sent", async () => {
  const pulled: string[] = [];
  async function* source() {
    for (const text of ["/think one", "two", "/v three"]) {
      pulled.push(text);
      yield said(text);
    }
  }
  const happened: string[] = [];
  const input = await openInput(source());
  expect(pulled).toEqual(["/think one"]);
  expect(input.first?.sent).toBe("one");
  const sent = await input.send(async ({ message }) => void happened.push(`announced ${message.text}`));
  for await (const { message } of sent) happened.push(`sent ${message.content}`);
  expect(happened).toEqual([
    "announced /think one",
    "sent one",
    "announced two",
    "sent two",
    "announced /v three",
    "sent three",
  ]);
});

it("IN-3 an abandoned stream is closed", async () => {
  let closed = false;
  async function* source() {
    try {
      for (const text of ["one", "two", "three"]) yield said(text);
    } finally {
      closed = true;
    }
  }
  const { send } = await openInput(source());
  for await (const { message } of await send(async () => {})) if (message.content === "two") break;
  expect(closed).toBe(true);
});

it("IN-4 an empty stream has no first message", async () => {
  async function* source(): AsyncGenerator<UserMessage> {}
  const { first, send } = await openInput(source());
  expect(first).toBeUndefined();
  for await (const message of await send(async () => {})) throw new Error(`sent ${JSON.stringify(message)}`);
});
