import { readFileSync, statSync } from "node:fs";
import { isIP } from "node:net";
import { errorText } from "../../../base/kernel/error-text.ts";
import { asObject } from "../../../base/kernel/json.ts";
import type { Agent, McpServer, SecretSource } from "../../../base/words/hosting/agent.ts";
import { type ConfigFault, type ConfigPath, ConfigSource } from "../../../engine/agent/config/config-source.ts";
import { isPublicAddress } from "../node/safe-url.ts";

/** A secret's file is a token or a key. */
const MAX_BYTES = 64 * 1024;

type Secrets = { readonly [name: string]: string };
/** A fault at a path below the entry that has it. */
export type Problem = { readonly at: ConfigPath; readonly message: string; readonly hint: string };

/** The values of a server's secrets, read anew for each start. `problems`: those that are missing. */
export function readSecrets(
  { secrets = {} }: McpServer,
  env: NodeJS.ProcessEnv,
): { readonly values: Secrets; readonly problems: readonly Problem[] } {
  const read = Object.entries(secrets).map(([name, source]) => ({ name, ...readSecret(source, env) }));
  return {
    values: Object.fromEntries(read.flatMap((one) => ("value" in one ? [[one.name, one.value]] : []))),
    problems: read.flatMap((one) =>
      "value" in one ? [] : [{ at: ["secrets", one.name], message: one.message, hint: one.hint }],
    ),
  };
}

/** Reads one secret, or says why it cannot be read. */
export function readSecret(
  source: SecretSource,
  env: NodeJS.ProcessEnv,
): { readonly value: string } | Pick<Problem, "message" | "hint"> {
  if ("env" in source) {
    const value = env[source.env];
    if (value) return { value };
    return {
      message: `the environment variable ${source.env} is not set`,
      hint: "set it where the gateway is started, or name a file: { file: ./secrets/token }",
    };
  }
  const { file } = source;
  try {
    if (!statSync(file).isFile() || statSync(file).size > MAX_BYTES) throw new Error("it is not a small text file");
    const value = readFileSync(file, "utf8").trim();
    if (value === "") throw new Error("it is empty");
    return { value };
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    const why = isMissing ? "it does not exist" : errorText(error);
    return { message: `the secret's file ${file} cannot be used: ${why}`, hint: "write the value into that file" };
  }
}

/** Names are looked up when the server is asked; an address that is written can be judged at once. */
export function addressProblems(server: {
  readonly url: string;
  readonly allowPrivate?: boolean | undefined;
}): readonly Problem[] {
  const url = URL.canParse(server.url) ? new URL(server.url) : undefined;
  if (url === undefined)
    return [{ at: ["url"], message: `'${server.url}' is not a URL`, hint: "write https://host/path" }];
  if (url.username !== "" || url.password !== "")
    return [{ at: ["url"], message: "the URL contains a password", hint: "use secrets and headers" }];
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const isLocal = host === "localhost" || host.endsWith(".localhost");
  const isPrivate = isLocal || (isIP(host) !== 0 && !isPublicAddress(host));
  if (!isPrivate || server.allowPrivate === true) return [];
  return [
    { at: ["url"], message: `${host} is a private address`, hint: "add allowPrivate: true if it is your own server" },
  ];
}

/** Faults of the servers of these agents on this machine: missing secrets, and addresses that are not allowed. */
export function serverFaults(
  {
    text,
    texts,
    parsed,
  }: {
    readonly text: string;
    readonly texts: ReadonlyMap<string, string>;
    readonly parsed: { readonly agents: readonly Agent[] };
  },
  env: NodeJS.ProcessEnv,
): readonly ConfigFault[] {
  const [shown = ""] = texts.keys();
  const source = new ConfigSource(text, shown);
  const written = asObject(asObject(source.value).agents);
  const found = new Map<string, ConfigFault>();
  for (const { name, mcpServers = {} } of parsed.agents) {
    for (const [server, spec] of Object.entries(mcpServers)) {
      const own = asObject(asObject(written[name]).mcpServers);
      const owner = Object.hasOwn(own, server) ? name : "defaults";
      for (const { at, message, hint } of [
        ...("url" in spec ? addressProblems(spec) : []),
        ...readSecrets(spec, env).problems,
      ]) {
        const path = ["agents", owner, "mcpServers", server, ...at];
        found.set(path.join("\n"), source.locate({ path, message: `MCP server '${server}': ${message}`, hint }));
      }
    }
  }
  return [...found.values()];
}
