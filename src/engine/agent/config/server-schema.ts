import type { z } from "zod";
import type { McpServer } from "../../../base/words/hosting/agent.ts";
import type { Complaint, ConfigPath } from "./config-source.ts";
import type { PlacedAgent } from "./parse-config.ts";
import { duration, exactlyOne, list, map, matching, named, optional, text, yesOrNo } from "./schema-fields.ts";

const HOST = /^(?:\*|(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]*)(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/i;

/** A host that a sandbox may reach. */
export const host = matching(
  HOST,
  "must be a host such as registry.example.org, *.example.org or 127.0.0.1:8080, without https:// and path",
);

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Where a secret value comes from. */
export const secret = exactlyOne(
  map({
    env: optional(
      matching(VARIABLE, "must be the name of an environment variable"),
      "The variable of the gateway's environment that has the value.",
    ),
    file: optional(text(), "A file with the value, relative to this file."),
  }),
  ["env", "file"],
);

/** One entry of `mcpServers`. */
export const server = exactlyOne(
  map({
    command: optional(text(), "The program to start, which speaks MCP on stdin and stdout."),
    args: optional(list(text()), "Its arguments."),
    env: optional(named(text()), "Its variables that are not secret."),
    network: optional(list(host), "Hosts that it may reach, as in the agent's network. Default: none."),
    url: optional(
      matching(/^https?:\/\/\S+$/, "must be an address such as https://mcp.example.org/mcp"),
      "The server's address, instead of a command.",
    ),
    headers: optional(named(text()), `Headers of every request. \${NAME} stands for one of its secrets.`),
    allowPrivate: optional(yesOrNo(), "true: the address may be loopback or in a private network. Default: false."),
    secrets: optional(
      named(secret),
      "Values that only this server gets: a command as variables, an address through headers.",
    ),
    timeout: optional(duration(), "How long a call may take. Default: 2m."),
  }),
  ["command", "url"],
);

export type ServerConfig = z.output<typeof server>;

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_)){0,31}$/;
/** Prefixes of tools that belong to Conduct and to runtimes. */
const RESERVED = ["conduct", "claude", "pi"];
const OF_COMMANDS = ["args", "env", "network"] as const;
const OF_ADDRESSES = ["headers", "allowPrivate"] as const;

/** Faults of an agent's servers that show without asking the machine. */
export function serverComplaints({ mcpServers }: PlacedAgent): readonly Complaint[] {
  return Object.entries(mcpServers.value).flatMap(([name, given]) => {
    const path = mcpServers.at(name);
    return [...nameComplaints(name, path), ...keyComplaints(given, path), ...headerComplaints(given, path)];
  });
}

function nameComplaints(name: string, path: ConfigPath): readonly Complaint[] {
  if (RESERVED.includes(name.toLowerCase()))
    return [{ path, at: "key", message: `'${name}' is reserved`, hint: "choose another name for the server" }];
  if (NAME.test(name)) return [];
  const hint = "use at most 32 letters, digits, '-' and single '_', such as github: rules call its tools github/name";
  return [{ path, at: "key", message: `'${name}' is not a valid name for a server`, hint }];
}

function keyComplaints(given: ServerConfig, path: ConfigPath): readonly Complaint[] {
  const [unused, needs] = given.url === undefined ? [OF_ADDRESSES, "url"] : [OF_COMMANDS, "command"];
  const idle = unused.filter((key) => given[key] !== undefined);
  const variables = [...Object.keys(given.env ?? {}).map((key) => ["env", key]), ...secretNames(given)];
  return [
    ...idle.map(
      (key): Complaint => ({
        path: [...path, key],
        at: "key",
        message: `'${key}' has no effect without '${needs}'`,
        hint: "remove it",
      }),
    ),
    ...variables
      .filter(([, key = ""]) => !VARIABLE.test(key))
      .map(
        (at): Complaint => ({
          path: [...path, ...at],
          at: "key",
          message: `'${at[1]}' is not a valid name for a variable`,
        }),
      ),
  ];
}

function secretNames({ secrets = {} }: ServerConfig): readonly (readonly string[])[] {
  return Object.keys(secrets).map((name) => ["secrets", name]);
}

/** Values in headers are the only way of a secret to an address. */
export const PLACEHOLDER: RegExp = /\$\{([^}]*)\}/g;

function headerComplaints({ url, headers = {}, secrets = {} }: ServerConfig, path: ConfigPath): readonly Complaint[] {
  const used = Object.entries(headers).flatMap(([header, value]) =>
    [...value.matchAll(PLACEHOLDER)].map(([, name = ""]) => ({ header, name })),
  );
  const unknown = used.filter(({ name }) => !Object.hasOwn(secrets, name));
  const unsent = Object.keys(secrets).filter((name) => url !== undefined && !used.some((one) => one.name === name));
  return [
    ...unknown.map(
      ({ header, name }): Complaint => ({
        path: [...path, "headers", header],
        message: `'${header}' uses \${${name}}, but the server has no secret '${name}'`,
        hint: `add it: secrets: { ${name || "NAME"}: { env: VARIABLE } }`,
      }),
    ),
    ...unsent.map(
      (name): Complaint => ({
        path: [...path, "secrets", name],
        at: "key",
        message: `the secret '${name}' is never sent`,
        hint: `use it in a header: headers: { Authorization: "Bearer \${${name}}" }`,
      }),
    ),
  ];
}

/** The server as the gateway uses it. The schema makes sure that there is exactly one of `command` and `url`. */
export function buildServer({
  command,
  args,
  env,
  network,
  url,
  headers,
  allowPrivate,
  ...rest
}: ServerConfig): McpServer {
  const common = { ...rest, secrets: rest.secrets as McpServer["secrets"] };
  if (command !== undefined) return { ...common, command, args, env, network };
  return { ...common, url: url ?? "", headers, allowPrivate };
}
