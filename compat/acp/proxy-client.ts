import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const CONDUCT = join(import.meta.dirname, "../../src/apps/cli/conduct.mjs");

type ClientOptions = {
  /** What `conduct acp` is told besides the agent's command; `undefined` starts the command as it is. */
  readonly through?: readonly string[];
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** What the client can do besides asking a person. */
  readonly capabilities?: acp.ClientCapabilities;
  prepare?(app: acp.ClientApp): void;
  hear(notification: acp.SessionNotification): void;
  /** What the person answers. */
  answer(request: acp.RequestPermissionRequest): acp.RequestPermissionOutcome;
};

/** An editor as the SDK makes one, with the proxy and the agent behind it as processes. */
export type ProxyClient = {
  readonly agent: acp.ClientContext;
  readonly child: ChildProcess;
  readonly initialized: acp.InitializeResponse;
  stderr(): string;
  /** Closes the connection as an editor does, and gives the exit code of the proxy. */
  close(): Promise<number | null>;
};

export async function startClient(options: ClientOptions): Promise<ProxyClient> {
  const { through, command, cwd, env, capabilities = {}, prepare, hear, answer } = options;
  const own = through === undefined ? [] : [process.execPath, CONDUCT, "acp", ...through, "--"];
  const [program = "", ...args] = [...own, ...command];
  const child = spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
  });
  const exited = once(child, "exit");
  const app = acp
    .client({ name: "kit" })
    .onRequest(acp.methods.client.session.requestPermission, ({ params }) => ({ outcome: answer(params) }))
    .onNotification(acp.methods.client.session.update, ({ params }) => hear(params));
  prepare?.(app);
  const stream = acp.ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as unknown as ReadableStream<Uint8Array>,
  );
  const connection = app.connect(stream);
  const initialized = await connection.agent.request(acp.methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: capabilities,
  });
  return {
    agent: connection.agent,
    child,
    initialized,
    stderr: () => said,
    async close() {
      child.stdin.end();
      const late = setTimeout(() => child.kill("SIGKILL"), 20_000);
      const [code] = await exited;
      clearTimeout(late);
      connection.close();
      return code;
    },
  };
}

/** The option of a kind. */
export function pick(
  { options }: acp.RequestPermissionRequest,
  kind: acp.PermissionOptionKind,
): acp.RequestPermissionOutcome {
  const option = options.find((one) => one.kind === kind);
  return option === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId: option.optionId };
}
