import { asList, asObject, parseObject } from "../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { isConductHook } from "../../../edge/adapters/shared/hooks/guarded-command.ts";
import type { GuardedKind } from "./guarded-file.ts";

export const codexHooks: GuardedKind = {
  has: (text) => Object.keys(oursIn(parseObject(text ?? "") ?? {})).length > 0,
  off(text, good) {
    if (text === undefined) return "the file is gone";
    const settings = parseObject(text);
    if (settings === undefined) return "it is no longer a JSON object, so Codex ignores it";
    return missingHooks(settings, oursIn(parseObject(good) ?? {}));
  },
  restore(text, good) {
    const settings = parseObject(text ?? "");
    if (settings === undefined) return good;
    const [before, ours] = [asObject(settings.hooks), oursIn(parseObject(good) ?? {})];
    const hooks = [...new Set([...Object.keys(before), ...Object.keys(ours)])].map((event) => {
      const theirs = asList(before[event]).filter((group) => !isOurs(group));
      return [event, [...theirs, ...(ours[event] ?? [])]] as const;
    });
    return `${JSON.stringify({ ...settings, hooks: Object.fromEntries(hooks) }, null, 2)}\n`;
  },
};

type Hooks = { readonly [event: string]: readonly Json[] };

/** Lists the events whose hook groups are missing or changed; `undefined` if all are present. */
export function missingHooks(settings: JsonObject, wanted: Hooks): string | undefined {
  const missing = Object.entries(wanted).flatMap(([event, groups]) => {
    const found = new Set(asList(asObject(settings.hooks)[event]).map((group) => JSON.stringify(group)));
    return groups.every((group) => found.has(JSON.stringify(group))) ? [] : [event];
  });
  return missing.length === 0 ? undefined : `Conduct's hooks are missing or changed at ${missing.join(", ")}`;
}

export function oursIn(settings: JsonObject): Hooks {
  const all = Object.entries(asObject(settings.hooks)).map(([event, groups]) => [event, asList(groups).filter(isOurs)]);
  return Object.fromEntries(all.filter(([, groups]) => (groups?.length ?? 0) > 0));
}

function isOurs(group: Json): boolean {
  return asList(asObject(group).hooks).some((hook) => isConductHook(asObject(hook).command));
}

const HOOKS_OFF = /^(\s*(?:features\s*=.*[{,]\s*|features\s*\.\s*)?["']?(?:codex_)?hooks["']?\s*=\s*)false\b/;
const TYPING = /^\s*(features\.)?unified_exec_tty\s*=\s*false\b/;

/** Codex's `config.toml`: the hooks feature, the trust in Conduct's hooks, and Conduct's own tools. */
export const codexConfig: GuardedKind = {
  has: (text) => text !== undefined,
  off(text = "", good) {
    const lines = text.split("\n");
    if (lines.some((line) => HOOKS_OFF.test(line))) return "hooks are switched off: Codex runs no hook";
    if (TYPING.test(lineWith(good, TYPING)) && lineWith(text, TYPING) === "") {
      return "unified_exec_tty is no longer off, so typing into a shell runs no hook";
    }
    const [was, is] = [tablesOf(good), tablesOf(text)];
    for (const [header, body] of was) {
      if (header === "[mcp_servers.conduct]" && !is.has(header)) return "Conduct's own tools are no longer registered";
      if (lostTrust(header, body, is)) {
        return "Codex no longer trusts Conduct's hooks, and skips them silently";
      }
    }
    return undefined;
  },
  restore(text, good) {
    if (text === undefined) return good;
    const kept = text.split("\n").map((line) => line.replace(HOOKS_OFF, "$1true"));
    const is = tablesOf(kept.join("\n"));
    const typing = lineWith(good, TYPING);
    if (typing !== "" && lineWith(text, TYPING) === "") {
      const at = kept.findIndex((line) => /^\s*\[features\]/.test(line));
      if (typing.trim().startsWith("features.")) kept.unshift(typing);
      else if (at >= 0) kept.splice(at + 1, 0, typing);
      else kept.push("", "[features]", typing);
    }
    const missing = [...tablesOf(good)].filter(([header, body]) => {
      if (header === "[mcp_servers.conduct]") return !is.has(header);
      return lostTrust(header, body, is);
    });
    const cleaned = withoutTables(kept, new Set(missing.map(([header]) => header)));
    const lines = [...cleaned, ...missing.flatMap(([header, body]) => ["", header, ...body])];
    return `${lines.join("\n").trimEnd()}\n`;
  },
};

type Tables = ReadonlyMap<string, readonly string[]>;

/** True if a trusted hook lost its trust or was disabled. */
function lostTrust(header: string, body: readonly string[], is: Tables): boolean {
  const hash = trustedHash(body);
  if (!header.startsWith("[hooks.state.") || hash === "") return false;
  const now = is.get(header) ?? [];
  return trustedHash(now) !== hash || now.some((line) => /^\s*enabled\s*=\s*false/.test(line));
}

function trustedHash(body: readonly string[]): string {
  return /trusted_hash\s*=\s*"([^"]*)"/.exec(body.join("\n"))?.[1] ?? "";
}

function lineWith(text: string, pattern: RegExp): string {
  return text.split("\n").find((line) => pattern.test(line)) ?? "";
}

/** The lines below each table header; a comment after a header is not part of its name. */
function tablesOf(text: string): Tables {
  const tables = new Map<string, string[]>();
  let body: string[] | undefined;
  for (const line of text.split("\n")) {
    const header = headerOf(line);
    if (header === undefined) body?.push(line);
    else {
      body = [];
      tables.set(header, body);
    }
  }
  for (const lines of tables.values()) while (lines.at(-1)?.trim() === "") lines.pop();
  return tables;
}

function withoutTables(lines: readonly string[], headers: ReadonlySet<string>): readonly string[] {
  let isCut = false;
  return lines.filter((line) => {
    const header = headerOf(line);
    if (header !== undefined) isCut = headers.has(header);
    return !isCut;
  });
}

function headerOf(line: string): string | undefined {
  return /^\s*(\[.*\])\s*(#.*)?$/.exec(line)?.[1];
}
