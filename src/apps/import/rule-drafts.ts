import type { JsonObject } from "../../base/words/json.ts";

/** A rule that a line becomes, as it is written to YAML, with the actions that it needs. */
export type RuleDraft = {
  readonly on: string | readonly string[];
  readonly when?: string;
  readonly unless?: string;
  readonly require?: JsonObject;
  readonly effect?: "deny" | "ask" | "warn";
  readonly actions?: { readonly [name: string]: { readonly tool: "shell"; readonly command: string } };
};

/** Every way to change a file, by tools and by commands. */
export const FILE_CHANGES = ["write_file", "edit_file", "files.write", "files.delete", "files.move"];

/** A rule about a shell command: the action is named after its words. `command` may contain `*`. */
export function commandDraft(command: string, effect?: RuleDraft["effect"]): RuleDraft {
  const name = actionName(command);
  return { on: name, effect, actions: { [name]: { tool: "shell", command } } };
}

export function actionName(command: string): string {
  return `cmd-${slugOf(command) || "any"}`;
}

export function pathDraft(on: string | readonly string[], pattern: string, effect?: RuleDraft["effect"]): RuleDraft {
  return { on, when: `has(args.path) && args.path.matches(${JSON.stringify(pattern)})`, effect };
}

/** The pattern of a branch's name in the refs of a push: `main`, `HEAD:main`, `+main`, `refs/heads/main`. */
export function pushedTo(branch: string): string {
  const name = JSON.stringify(`(^|[:+/])${literal(branch)}$`);
  const own = `has(repo.branch) && repo.branch == ${JSON.stringify(branch)}`;
  return `args.refs.exists(r, r.matches(${name})) || (size(args.refs) == 0 && ${own})`;
}

/**
 * A gitignore-like pattern as an expression over `args.path`, which is relative to the workspace. A pattern for all that is
 * in a folder is also about the folder: `rm -r` of it removes all of that. `under` is the folder of the file that has the
 * pattern. `undefined` for a pattern that cannot be expressed.
 */
export function pathPattern(glob: string, under = ""): string | undefined {
  const given = glob.trim().replace(/^\.\//, "");
  if (given === "" || given.includes("..") || /[\n"\\{}[\]!]/.test(given)) return undefined;
  const isOutside = /^(~|\/\/)/.test(given);
  if (isOutside && under !== "") return undefined;
  const isAnchored = /^\//.test(given) || given.replace(/\/$/, "").includes("/");
  const path = isOutside ? given.replace(/^\/\//, "/") : given.replace(/^\//, "");
  const body = path
    .replace(/(?<=[^*/])(?:\/\*{0,2})+$/, "")
    .split(/(\*\*\/|\*\*|\*|\?)/)
    .map((part) =>
      part === "**/" ? "(.*/)?" : part === "**" ? ".*" : part === "*" ? "[^/]*" : part === "?" ? "[^/]" : literal(part),
    )
    .join("");
  const base = under === "" || isOutside ? "" : `${literal(under)}/`;
  const begin = isAnchored ? `^${base}` : base === "" ? "(^|/)" : `^${base}(.*/)?`;
  return `${begin}${body}(/|$)`;
}

/** The text as a regular expression that matches only itself. */
export function literal(text: string): string {
  return text.replace(/[.*+?${}()|[\]^\\]/g, (mark) => (/[\]^\\]/.test(mark) ? `\\${mark}` : `[${mark}]`));
}

export function slugOf(text: string, most = 40): string {
  const words = text
    .toLowerCase()
    .replace(/['’`]/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return words.length <= most ? words : words.slice(0, most).replace(/-[^-]*$/, "");
}
