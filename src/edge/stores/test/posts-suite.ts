import { describe, expect, it } from "vitest";
import type { PostsStore, QuestionPost } from "../../../base/ports/stores/hosting/posts.ts";

const post = (message: string, more: Partial<QuestionPost> = {}): QuestionPost => ({
  ...{ approval: "a_1", channel: "slack", address: "D1", message, operator: "U1", ...more },
});

/** What every store of the questions in chats does. */
export function postsSuite(name: string, open: () => Promise<PostsStore>): void {
  describe(`questions in chats: ${name}`, () => {
    it("PST-1 posts are listed oldest first, and a post that exists stays as it is", async () => {
      const store = await open();
      await store.add(post("2"), 20);
      await store.add(post("1", { channel: "telegram", operator: "" }), 10);
      await store.add(post("2", { approval: "a_other" }), 30);
      expect(await store.list()).toEqual([post("1", { channel: "telegram", operator: "" }), post("2")]);
    });

    it("PST-2 of several processes one removes a post", async () => {
      const store = await open();
      await store.add(post("1"), 10);
      await store.add(post("1", { address: "D2" }), 10);
      const removed = await Promise.all([1, 2, 3].map(() => store.remove(post("1"))));
      expect(removed.filter(Boolean)).toHaveLength(1);
      expect(await store.list()).toEqual([post("1", { address: "D2" })]);
    });
  });
}
