import { type ModelRequest, startModelServer } from "../../src/testing/test/model-server/index.ts";

/** A model in a process of its own, that keeps nothing: reads a file, then says that it is done. Its address goes to stdout. */
let replies = 0;
const server = await startModelServer({
  script: () => {
    (server.requests as ModelRequest[]).length = 0;
    replies += 1;
    return replies % 2 === 1
      ? { calls: [{ id: `call_${replies}`, name: "read", input: { path: "a.txt" } }] }
      : { text: "Done." };
  },
});
process.stdout.write(`${server.url}\n`);
process.stdin.resume().on("end", () => void server.close());
