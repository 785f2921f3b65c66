import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Role } from "../../../base/words/hosting/user.ts";
import { conductProgram } from "../../../edge/host/node/package-files.ts";
import { type ModelServer, startModelServer } from "../../../testing/test/model-server/index.ts";
import { type ConductClient, conductClient } from "../client.ts";

const TOKEN = "a-token-for-the-test-of-the-shipped-gateway";

/** The shipped gateway on a `conduct.yaml` that a user could write, with a scripted model server behind it. */
export async function shippedGateway(config: (server: ModelServer) => string) {
  await using opening = new AsyncDisposableStack();
  const root = mkdtempSync(join(tmpdir(), "conduct-shipped-"));
  opening.defer(() => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  const home = join(root, "home");
  mkdirSync(home);
  const server = await startModelServer({ script: [] });
  opening.defer(() => server.close());
  writeFileSync(join(home, "conduct.yaml"), config(server));
  const { CONDUCT_STORE: _, ...inherited } = process.env;
  const env: NodeJS.ProcessEnv = { ...inherited, CONDUCT_HOME: home, CONDUCT_TOKEN: TOKEN, NO_COLOR: "1" };
  const child = spawn(process.execPath, [conductProgram(), "gateway", "--port", "0", "--json"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  opening.defer(() => kill(child));
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const { url } = JSON.parse(line) as { readonly url: string };
  const operator = conductClient({ url, token: TOKEN });
  const closing = opening.move();
  return {
    ...{ env, home, server, operator, url },
    close: () => closing.disposeAsync(),
    async person(id: string, role: Role = "user"): Promise<ConductClient> {
      await operator.call("POST /api/users", { body: { id, name: id, role } });
      const made = await operator.call("POST /api/users/{id}/tokens", { params: { id }, body: { label: "test" } });
      return conductClient({ url, token: made.token });
    },
    async open(client: ConductClient, agent: string): Promise<string> {
      return (await client.call("POST /api/sessions", { body: { agent } })).id;
    },
    /** Sends a message and waits for the end of its turn. */
    say(client: ConductClient, id: string, text: string) {
      return client.call("POST /api/sessions/{id}/messages", {
        params: { id },
        query: { wait: "true" },
        body: { text },
      });
    },
  };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}
