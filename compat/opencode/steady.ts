import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asObject, asString } from "../../src/base/kernel/json.ts";
import type { ModelRequest } from "../../src/testing/test/model-server/index.ts";
import { SMALL_FILE, type Steady, type SteadyOptions, writeSmallFiles } from "../steady.ts";
import { startSteadyDaemon } from "../steady-daemon.ts";
import { steadyScript } from "../steady-script.ts";
import { PLUGIN_FILE } from "./place.ts";
import { startServer } from "./server.ts";

/** `opencode serve`; with Conduct's plugin as `conduct init opencode` leaves it, or without the file. */
export async function openSteady({ calls, under }: SteadyOptions): Promise<Steady> {
  const home = mkdtempSync(join(tmpdir(), "conduct-steady-"));
  const daemon = under === "conduct" ? await startSteadyDaemon(home) : undefined;
  const server = await startServer(
    daemon === undefined ? { files: { [PLUGIN_FILE]: undefined } } : { env: { CONDUCT_SOCKET: daemon.socket } },
  );
  const workspace = join(server.place.root, "workspace");
  mkdirSync(workspace);
  writeSmallFiles(workspace, calls);
  const script = steadyScript(calls, (at) => ({
    name: "read",
    input: { filePath: SMALL_FILE.replace("{n}", String(at)) },
  }));
  server.models.setScript((request) => {
    (server.models.requests as ModelRequest[]).length = 0;
    return script.reply(request);
  });
  const begin = async (): Promise<string> => {
    const { body } = await server.ask(workspace, "POST", "/session", {});
    return `/session/${asString(asObject(body).id)}/message`;
  };
  let path = await begin();
  return {
    processes: [...(daemon === undefined ? [] : [daemon.process]), { name: "opencode", pid: server.pid }],
    async renew() {
      path = await begin();
    },
    async turn() {
      const { status } = await server.ask(workspace, "POST", path, { parts: [{ type: "text", text: "go" }] });
      if (status !== 200) throw new Error(`OpenCode answers ${status}`);
      return script.spentMs();
    },
    async close() {
      await server.close();
      await daemon?.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
