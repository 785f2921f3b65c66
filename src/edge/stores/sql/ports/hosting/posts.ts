import type { PostsStore, QuestionPost } from "../../../../../base/ports/stores/hosting/posts.ts";
import type { SqlDatabase } from "../../tables.ts";

/** Stores which questions are shown in which chats. The rows contain ids only. */
export function sqlPosts(db: SqlDatabase): PostsStore {
  return {
    async add({ approval, channel, address, message, operator }, at) {
      await db
        .insertInto("conduct_posts")
        .values({ approval, channel, address, message, operator, at })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    async list() {
      const posts = db.selectFrom("conduct_posts").select(["approval", "channel", "address", "message", "operator"]);
      return (await posts.orderBy("at").orderBy("approval").execute()) satisfies readonly QuestionPost[];
    },
    async remove({ channel, address, message }) {
      const post = db.deleteFrom("conduct_posts").where("channel", "=", channel).where("address", "=", address);
      return (await post.where("message", "=", message).returning("approval").execute()).length > 0;
    },
  };
}
