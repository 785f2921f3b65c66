import { asList, asObject } from "../../base/kernel/json.ts";
import type { Json } from "../../base/words/json.ts";
import type { Becomes } from "./classify-statement.ts";
import { commandDraft, FILE_CHANGES, literal, pathDraft, pathPattern, type RuleDraft } from "./rule-drafts.ts";

/** An entry of a permission list, with its line. */
export type ListedPermission = { readonly line: number; readonly text: string; readonly becomes: Becomes };

const ALLOWED =
  "an allow-list loosens nothing here: your rules still apply, and the runtime keeps reading its own list";

/** The `permissions` of Claude Code's settings. Throws on text that is not JSON. */
export function readClaudePermissions(text: string): readonly ListedPermission[] {
  const permissions = asObject(asObject(JSON.parse(text.replace(/^\uFEFF/, ""))).permissions);
  const lines = text.split(/\r?\n/);
  return (["deny", "ask", "allow"] as const).flatMap((list) => {
    const start = lines.findIndex((line) => new RegExp(`"${list}"\\s*:`).test(line));
    return asList(permissions[list]).flatMap((entry) => {
      if (typeof entry !== "string") return [];
      const at = lines.findIndex((line, index) => index >= Math.max(0, start) && line.includes(JSON.stringify(entry)));
      return [{ line: Math.max(at, start, 0) + 1, text: `${list}: ${entry}`, becomes: claudeEntry(list, entry) }];
    });
  });
}

function claudeEntry(list: "deny" | "ask" | "allow", entry: string): Becomes {
  if (list === "allow") return { kind: "nothing", why: ALLOWED };
  const draft = claudeDraft(entry);
  if (draft === undefined)
    return { kind: "nothing", why: "Conduct cannot express this pattern; Claude Code keeps applying it" };
  return { kind: "rule", drafts: [{ ...draft, effect: list === "ask" ? "ask" : undefined }] };
}

function claudeDraft(entry: string): RuleDraft | undefined {
  const [, tool = "", , given] = /^([\w-]+(?:__[\w*-]+)*)(\((.*)\))?$/.exec(entry) ?? [];
  const mcp = /^mcp__([\w-]+?)(?:__([\w*-]+))?$/.exec(tool);
  if (mcp !== null) return given === undefined ? { on: `${mcp[1]}/${mcp[2] ?? "*"}` } : undefined;
  const any = given === undefined || given === "*" || given === "";
  switch (tool) {
    case "Bash": {
      if (any) return { on: "shell" };
      const command = given.replace(/:\*$/, " *");
      return /^[^*\s][^\n]*$/.test(command) ? commandDraft(command) : undefined;
    }
    case "Read":
      return any ? { on: "read_file" } : byPath("read_file", given);
    case "Edit":
    case "Write":
    case "MultiEdit":
    case "NotebookEdit":
      return any ? { on: FILE_CHANGES } : byPath(FILE_CHANGES, given);
    case "WebFetch": {
      if (any) return { on: "fetch" };
      const [, host] = /^domain:([\w.-]+)$/.exec(given) ?? [];
      if (host === undefined) return undefined;
      return {
        on: "fetch",
        when: `args.url.matches(${JSON.stringify(`^https?://([^/]*[.@])?${literal(host)}(:|/|$)`)})`,
      };
    }
    case "WebSearch":
      return any ? { on: "web_search" } : undefined;
    case "Task":
    case "Agent":
      return any ? { on: "task" } : undefined;
    default:
      return undefined;
  }
}

function byPath(on: string | readonly string[], glob: string): RuleDraft | undefined {
  const pattern = pathPattern(glob);
  return pattern === undefined ? undefined : pathDraft(on, pattern);
}

const CALL = /prefix_rule\s*\(/g;

/** The `prefix_rule(…)` calls of Codex's rules. */
export function readCodexRules(text: string): readonly ListedPermission[] {
  const code = text.replace(/#[^\n]*/g, (comment) => " ".repeat(comment.length));
  return [...code.matchAll(CALL)].map((match) => {
    const body = callBody(code, match.index + match[0].length);
    const line = text.slice(0, match.index).split("\n").length;
    const [, decision = "allow"] = /\bdecision\s*=\s*["'](\w+)["']/.exec(body) ?? [];
    const words = prefixOf(body);
    const shown = words === undefined ? "…" : words.map((one) => one.join("|")).join(" ");
    return { line, text: `${decision}: ${shown}`, becomes: codexEntry(decision, words) };
  });
}

function codexEntry(decision: string, words: readonly (readonly string[])[] | undefined): Becomes {
  if (decision === "allow") return { kind: "nothing", why: ALLOWED };
  if (words === undefined)
    return { kind: "nothing", why: "its pattern is not a list of words; Codex keeps applying it" };
  if (decision !== "forbidden" && decision !== "prompt")
    return { kind: "nothing", why: `Conduct does not know the decision '${decision}'` };
  const commands = words.reduce<readonly string[]>(
    (all, choices) => all.flatMap((begin) => choices.map((word) => `${begin} ${word}`.trim())),
    [""],
  );
  const effect = decision === "prompt" ? "ask" : undefined;
  return {
    kind: "rule",
    drafts: commands.slice(0, 20).map((command) => ({ ...commandDraft(`${command} *`), effect })),
  };
}

function callBody(code: string, from: number): string {
  let depth = 1;
  let at = from;
  for (; at < code.length && depth > 0; at++) {
    if (code[at] === "(") depth++;
    if (code[at] === ")") depth--;
  }
  return code.slice(from, at - 1);
}

/** The words of `pattern = ["git", ["push", "fetch"]]`, each with its alternatives. */
function prefixOf(body: string): readonly (readonly string[])[] | undefined {
  const [, list] = /\bpattern\s*=\s*(\[(?:[^[\]]|\[[^[\]]*\])*\])/.exec(body) ?? [];
  if (list === undefined) return undefined;
  try {
    const value = JSON.parse(
      list.replace(/'((?:[^'\\]|\\.)*)'/g, (_, word: string) => JSON.stringify(word)).replace(/,\s*\]/g, "]"),
    ) as Json;
    const words = asList(value).map((one) =>
      asList(Array.isArray(one) ? one : [one]).filter((word) => typeof word === "string"),
    );
    const isPlain =
      words.length > 0 && words.every((one) => one.length > 0 && one.every((word) => !/[*\s]/.test(word)));
    return isPlain ? words : undefined;
  } catch {
    return undefined;
  }
}
