import { type ChildProcess, spawn } from "node:child_process";
import { isObject, parseObject } from "../../src/base/kernel/json.ts";
import type { JsonObject } from "../../src/base/words/json.ts";
import { type ModelServer, type Script, startModelServer } from "../../src/testing/test/model-server/index.ts";
import { type HomeOptions, newPlace, OPENCODE, type OpencodePlace, opencodeEnv, writeHome } from "./place.ts";
import { sideReply } from "./script.ts";

/** `opencode serve`, its scripted models, and its home. One serves many workspaces: each has its own plugin instance. */
export type OpencodeServer = {
  readonly pid: number;
  readonly place: OpencodePlace;
  readonly models: ModelServer;
  /** Asks OpenCode's API about one workspace. */
  ask(workspace: string, method: string, path: string, body?: object): Promise<Answer>;
  /** Hears every event of one workspace until it is closed. */
  listen(workspace: string, hear: (event: JsonObject) => void): Promise<{ close(): void }>;
  /** Ends it, and starts another on the same home. */
  restart(): Promise<void>;
  close(): Promise<void>;
};

export type Answer = { readonly status: number; readonly body: unknown };

/** Places with models that play a script; nothing runs there yet. */
export async function openPlace(
  options: HomeOptions = {},
  script: Script = [],
): Promise<{ readonly place: OpencodePlace; readonly models: ModelServer }> {
  const place = newPlace();
  const models = await startModelServer({ script, ignore: sideReply });
  await writeHome(place, models.openaiUrl, options);
  return { place, models };
}

/** One `opencode serve`. */
export type Served = Pick<OpencodeServer, "pid" | "ask" | "listen" | "close">;

export async function serve(cwd: string, env: NodeJS.ProcessEnv): Promise<Served> {
  const child = spawn(OPENCODE, ["serve", "--port", "0"], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const url = await listening(child);
  const address = (workspace: string, path: string) =>
    `${url}${path}${path.includes("?") ? "&" : "?"}directory=${encodeURIComponent(workspace)}`;
  return {
    pid: child.pid ?? 0,
    async ask(workspace, method, path, body) {
      const answer = await fetch(address(workspace, path), {
        method,
        headers: { "content-type": "application/json" },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      const text = await answer.text();
      return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
    },
    async listen(workspace, hear) {
      const stopping = new AbortController();
      const { body } = await fetch(address(workspace, "/event"), { signal: stopping.signal });
      void readEvents(body, hear);
      return { close: () => stopping.abort() };
    },
    close: () => ended(child),
  };
}

export async function startServer(options: HomeOptions = {}): Promise<OpencodeServer> {
  const { place, models } = await openPlace(options);
  const start = () => serve(place.home, { ...opencodeEnv(place), ...options.env });
  let served = await start();
  return {
    get pid() {
      return served.pid;
    },
    place,
    models,
    ask: (...asked) => served.ask(...asked),
    listen: (...heard) => served.listen(...heard),
    async restart() {
      await served.close();
      served = await start();
    },
    async close() {
      await served.close();
      await models.close();
      place.remove();
    },
  };
}

async function listening(child: ChildProcess): Promise<string> {
  let said = "";
  return new Promise((resolve, reject) => {
    const hear = (text: Buffer) => {
      said += text;
      const url = /listening on (http:\/\/\S+)/.exec(said)?.[1];
      if (url !== undefined) resolve(url);
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`opencode serve ended with ${code}: ${said.slice(-2_000)}`)));
  });
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.on("exit", () => resolve());
    child.kill("SIGTERM");
    setTimeout(() => child.kill("SIGKILL"), 5_000).unref();
    if (child.exitCode !== null || child.signalCode !== null) resolve();
  });
}

async function readEvents(body: ReadableStream<Uint8Array> | null, hear: (event: JsonObject) => void): Promise<void> {
  let rest = "";
  try {
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = `${rest}${chunk}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const event = line.startsWith("data: ") ? parseObject(line.slice(6)) : undefined;
        if (isObject(event)) hear(event);
      }
    }
  } catch {
    // Closed by us, or with the server.
  }
}
