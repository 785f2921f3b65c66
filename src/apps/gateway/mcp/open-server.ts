import { cutGraphemes } from "../../../base/kernel/text.ts";
import type { McpServer } from "../../../base/words/hosting/agent.ts";
import { connectServer } from "../../../edge/adapters/mcp/server-url.ts";
import { type Pipe, startServer } from "../../../edge/adapters/shared/mcp/pipe.ts";
import { PUBLIC_ONLY, pinnedFetch } from "../../../edge/host/node/safe-url.ts";
import { readSecrets } from "../../../edge/host/opening/load-servers.ts";
import type { Sandbox, SandboxProxy } from "../../../edge/host/sandbox/sandbox.ts";
import { PLACEHOLDER } from "../../../engine/agent/config/server-schema.ts";
import { plainEnvironment } from "../sandbox/hosted-commands.ts";

export type ServerPlace = {
  readonly sandbox: Sandbox;
  readonly env: NodeJS.ProcessEnv;
  /** The only folder that a program can change. */
  readonly workspace: string;
  readonly proxy?: SandboxProxy | undefined;
};

/** The end of a program's log is enough to see why it ended. */
const LOG_CHARS = 4_000;
const SHOWN_CHARS = 300;
/** A shorter text occurs by chance. */
const LEAST_SECRET = 6;

/**
 * Starts a server in the sandbox, or connects to its address. Only this server gets its secrets, and they are removed
 * from everything that it says. Rejects with one sentence.
 */
export async function openServer(server: McpServer, place: ServerPlace): Promise<Pipe> {
  const { values, problems } = readSecrets(server, place.env);
  const [missing] = problems;
  if (missing !== undefined) throw new Error(missing.message);
  const hide = hiding(values);
  if ("url" in server) {
    const { url, headers = {}, allowPrivate = false } = server;
    const filled = Object.entries(headers).map(([name, text]) => [
      name,
      text.replaceAll(PLACEHOLDER, (_, secret: string) => values[secret] ?? ""),
    ]);
    const checks = allowPrivate ? { ...PUBLIC_ONLY, isAllowed: () => true } : PUBLIC_ONLY;
    return hidden(connectServer(new URL(url), Object.fromEntries(filled), pinnedFetch(checks)), hide);
  }
  const { command, args = [], env = {} } = server;
  const { sandbox, workspace, proxy } = place;
  const wrapped =
    sandbox.kind === "none"
      ? { file: command, args, env: plainEnvironment(place.env) }
      : sandbox.wrap([command, ...args], { workspace, proxy });
  let log = "";
  const own = { ...wrapped.env, ...env, ...values };
  const pipe = await startServer([wrapped.file, ...wrapped.args], own, workspace, (text) => {
    log = `${log}${text}`.slice(-LOG_CHARS);
  });
  return hidden(pipe, hide, () => log);
}

/** The line of a log that explains an end: the last error, else the last line. */
function lastWords(log: string): string {
  const lines = log.trim().split("\n");
  const said = lines.findLast((line) => /\w*error\b/i.test(line)) ?? lines.at(-1) ?? "";
  return cutGraphemes(said.trim(), SHOWN_CHARS);
}

type Hide = (text: string) => string;

function hiding(secrets: { readonly [name: string]: string }): Hide | undefined {
  const parts = Object.entries(secrets).flatMap(([name, value]) => {
    // As it is written in JSON, too.
    const spellings = new Set([value, JSON.stringify(value).slice(1, -1)]);
    return value.length < LEAST_SECRET ? [] : [...spellings].map((spelling) => ({ name, spelling }));
  });
  if (parts.length === 0) return undefined;
  return (text) =>
    parts.reduce(
      (rest, { name, spelling }) => (rest.includes(spelling) ? rest.replaceAll(spelling, `[secret ${name}]`) : rest),
      text,
    );
}

/** A pipe whose messages contain no secret. The log explains an end. */
function hidden(pipe: Pipe, hide: Hide = (text) => text, logged: () => string = () => ""): Pipe {
  return {
    ...pipe,
    listen: (listener) =>
      pipe.listen({
        ...listener,
        message(line) {
          const text = line.toString("utf8");
          const shown = hide(text);
          listener.message(shown === text ? line : Buffer.from(shown));
        },
        end({ why, ...end }) {
          const log = lastWords(hide(logged()));
          listener.end({ ...end, why: log === "" ? why : `${why}: ${log}` });
        },
      }),
  };
}
