import { type ModelRequest, startModelServer } from "../src/testing/model-server/index.ts";

/**
 * A model in a process of its own, that keeps nothing: so many calls of one tool, one after the other, then a word, and again.
 * `node steady-model.ts CALLS TOOL INPUT`; its address goes to stdout, and it ends with its stdin.
 */
const [, , calls = "1", name = "", input = "{}"] = process.argv;
let replies = 0;
const server = await startModelServer({
  script: () => {
    (server.requests as ModelRequest[]).length = 0;
    const at = replies++ % (Number(calls) + 1);
    return at < Number(calls)
      ? { calls: [{ id: `call_${replies}`, name, input: JSON.parse(input) }] }
      : { text: "Done." };
  },
});
process.stdout.write(`${server.url}\n`);
process.stdin.resume().on("end", () => void server.close());
