import { expect, it } from "vitest";
import { memoryStores } from "../../../home-stores.ts";

it("ANS-1 one process answers a message, and another takes over only what a process that is gone has left", async () => {
  const { answers } = memoryStores();
  expect(await answers.claim("tg:1:1", "old", 1)).toBe("mine");
  expect(await answers.claim("tg:1:1", "old", 1)).toBe("mine");
  // Without a turn the channel sends the message again.
  expect(await answers.takeOver("new")).toEqual([]);
  await answers.attach("tg:1:1", "old", "t1");
  expect(await answers.isOwed("tg:1:1", "old")).toBe(true);
  expect(await answers.takeOver("new")).toEqual([{ message: "tg:1:1", turn: "t1" }]);
  // The old process wakes up: it must not send, and its note changes nothing.
  expect(await answers.isOwed("tg:1:1", "old")).toBe(false);
  await answers.settle("tg:1:1", "old", 2);
  expect(await answers.isOwed("tg:1:1", "new")).toBe(true);
  await answers.settle("tg:1:1", "new", 3);
  expect(await answers.claim("tg:1:1", "third", 4)).toBe("answered");
  expect(await answers.takeOver("third")).toEqual([]);
  await answers.expire(2);
  expect(await answers.claim("tg:1:1", "third", 5)).toBe("mine");
});
