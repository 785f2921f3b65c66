import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { conductClient } from "../src/apps/gateway/client.ts";

/**
 * Tests `npm start` like a newcomer: it starts, signs in, the demo agent deploys under guard, and it exits on request.
 */

const root = mkdtempSync(join(tmpdir(), "conduct-smoke-"));
const started = Date.now();
const lines: string[] = [];
const gateway = spawn("npm", ["start", "--silent", "--", "--port", "0", "--json"], {
  cwd: join(import.meta.dirname, ".."),
  env: {
    ...process.env,
    CONDUCT_HOME: join(root, "home"),
    CONDUCT_KEYS: join(root, "keys"),
    CONDUCT_STORE: "",
    CONDUCT_REDIS_URL: "",
    CONDUCT_TYPESENSE_URL: "",
  },
  stdio: ["ignore", "pipe", "inherit"],
  detached: true,
});
const ended = new Promise<number | null>((resolve) => gateway.once("close", resolve));
try {
  const { url, login } = await firstLine();
  console.log(`smoke: started in ${Date.now() - started} ms`);
  const code = new URL(login).hash.replace("#code=", "");
  const signed = await fetch(`${url}/api/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  const cookie = signed.headers.get("set-cookie")?.split(";")[0] ?? "";
  const client = conductClient({
    url,
    fetch: (input, init) => fetch(input, { ...init, headers: { ...init?.headers, cookie } }),
  });
  const session = await client.call("POST /api/sessions", { body: { agent: "demo" } });
  const turn = await client.call("POST /api/sessions/{id}/messages", {
    params: { id: session.id },
    query: { wait: "true" },
    body: { text: "deploy it" },
  });
  check(turn.status === "complete", `the demo ended ${turn.status}: ${turn.why ?? turn.answer}`);
  const { events } = await client.call("GET /api/sessions/{id}/events", { params: { id: session.id } });
  check(events.length > 0, "nothing was kept of the demo");
  const page = await fetch(url);
  check(page.ok && (await page.text()).includes("<title>Conduct</title>"), "the page is not there");
  if (gateway.pid !== undefined) process.kill(-gateway.pid, "SIGTERM");
  await ended;
  // npm handles signals in its own way, so check the gateway's last output.
  check(
    lines.some((line) => line.includes('"ended": true')),
    "it did not end well",
  );
  console.log("smoke: the gateway starts, guards its demo agent, and ends when told");
} finally {
  if (gateway.exitCode === null && gateway.pid !== undefined) process.kill(-gateway.pid, "SIGKILL");
  rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

function firstLine(): Promise<{ readonly url: string; readonly login: string }> {
  return new Promise((resolve, reject) => {
    createInterface({ input: gateway.stdout }).on("line", (line) => {
      lines.push(line);
      if (line.includes('"event":"started"')) resolve(JSON.parse(line));
    });
    gateway.once("close", () => reject(new Error("the gateway ended before it had started")));
  });
}

function check(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(`smoke: ${otherwise}`);
}
