import { text } from "node:stream/consumers";
import { startClaudeCode } from "../../src/edge/adapters/claude-code/start-command.ts";

/** `conduct hook claude-code` without a daemon to start: `node start.ts URL TOKEN [--part N]`. */
const [, , url = "", token = "", , part = "1"] = process.argv;

const end = await startClaudeCode(await text(process.stdin), Number(part), {
  async ensure() {
    await fetch(url, { method: "POST" });
    return "there";
  },
  async post(event, at) {
    const response = await fetch(at === 1 ? url : `${url}?part=${at}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "x-conduct-entrypoint": process.env.CLAUDE_CODE_ENTRYPOINT ?? "",
      },
      body: JSON.stringify(event),
    });
    return response.json();
  },
});
process.stdout.write(end.stdout);
process.stderr.write(end.stderr);
process.exitCode = end.exitCode;
