import { expect, it } from "vitest";
import { answerOrFail, type KitFailing, type KitRequest, playKitScript } from "./driver.ts";

const of = (more: Partial<KitRequest> = {}): KitRequest => ({
  raw: "{}",
  system: "",
  lastUserText: "",
  results: [],
  ...more,
});

it("KT-5 a subagent plays the replies of its task and the agent its own, in whatever order their requests come", () => {
  const below = [{ text: "below 1" }, { text: "below 2" }];
  const player = playKitScript([
    { task: { id: "t", prompt: "go", replies: below } },
    ({ raw }) => ({ text: raw }),
    { text: "never asked for" },
  ]);
  expect(player.next(of({ subagent: true }))).toBeUndefined();
  expect(player.next(of())?.task?.id).toBe("t");
  expect(player.unplayed()).toBe(4);
  expect(player.next(of({ subagent: true }))?.text).toBe("below 1");
  expect(player.next(of({ raw: "seen" }))?.text).toBe("seen");
  expect(player.next(of({ subagent: true }))?.text).toBe("below 2");
  expect(player.unplayed()).toBe(1);
});

it.each<[KitFailing | undefined, boolean, string]>([
  [undefined, true, "answered"],
  ["crash", false, "answered"],
  ["crash", true, "failed"],
  ["gone", true, "failed"],
  ["hang", false, "answered"],
  ["hang", true, "nothing"],
])("KT-6 a request with the fault %s and begun %s is %s", async (failing, begun, becomes) => {
  const asked = answerOrFail(
    failing,
    () => begun,
    async () => "answered",
  ).catch(() => "failed");
  const nothing = new Promise((resolve) => setImmediate(resolve, "nothing"));
  expect(await Promise.race([asked, nothing])).toBe(becomes);
});
