import { readFileSync } from "node:fs";
import { errorText } from "../../../base/kernel/error-text.ts";
import { asObject, asString, parseObject } from "../../../base/kernel/json.ts";
import type { McpTool } from "../../../edge/adapters/shared/mcp/client.ts";
import { replaceFile } from "../../../edge/host/workspace/own-files.ts";

/** What is different in a server's tool list. `changed`: another description or other arguments. */
export type ToolChange = {
  readonly agent: string;
  readonly server: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
};

type Digests = { readonly [tool: string]: string };

/**
 * The tool lists that the gateway has seen, in a file, so that a change between two runs is noticed too. A file that is
 * missing or damaged makes every list the first one.
 */
export class KnownTools {
  readonly #file: string;
  readonly #report: (line: string) => void;
  #lists: { readonly [key: string]: Digests };

  constructor(file: string, report: (line: string) => void) {
    this.#file = file;
    this.#report = report;
    this.#lists = readLists(file);
  }

  /** Stores the list, and returns how it differs from the one before. */
  update(agent: string, server: string, tools: readonly McpTool[]): ToolChange | undefined {
    const key = `${agent}/${server}`;
    const before = Object.hasOwn(this.#lists, key) ? this.#lists[key] : undefined;
    const now: Digests = Object.fromEntries(tools.map(({ name, digest }) => [name, digest]));
    const names = Object.keys(now);
    const change = {
      agent,
      server,
      added: names.filter((name) => !Object.hasOwn(before ?? {}, name)).sort(),
      removed: Object.keys(before ?? {})
        .filter((name) => !Object.hasOwn(now, name))
        .sort(),
      changed: names.filter((name) => Object.hasOwn(before ?? {}, name) && before?.[name] !== now[name]).sort(),
    };
    if (change.added.length + change.removed.length + change.changed.length === 0 && before !== undefined)
      return undefined;
    this.#lists = { ...this.#lists, [key]: now };
    try {
      replaceFile(this.#file, `${JSON.stringify(this.#lists, null, 2)}\n`);
    } catch (error) {
      this.#report(`the tool lists of MCP servers cannot be saved: ${errorText(error)}`);
    }
    return before === undefined ? undefined : change;
  }
}

function readLists(file: string): { readonly [key: string]: Digests } {
  try {
    const lists = parseObject(readFileSync(file, "utf8")) ?? {};
    return Object.fromEntries(
      Object.entries(lists).map(([key, digests]) => [
        key,
        Object.fromEntries(Object.entries(asObject(digests)).map(([tool, digest]) => [tool, asString(digest)])),
      ]),
    );
  } catch {
    return {};
  }
}

/** One sentence for the operator. */
export function describeChange({ agent, server, added, removed, changed }: ToolChange): string {
  const parts = [
    ...(changed.length === 0 ? [] : [`changed ${changed.join(", ")}`]),
    ...(added.length === 0 ? [] : [`added ${added.join(", ")}`]),
    ...(removed.length === 0 ? [] : [`removed ${removed.join(", ")}`]),
  ];
  return `The MCP server ${server} of ${agent} has ${parts.join("; ")}. Review the tools before you rely on them.`;
}
