import { lineEffects } from "../../behavior/commands/line-effects.ts";
import { PROGRAMS } from "../../behavior/commands/programs/program-table.ts";
import {
  actionName,
  commandDraft,
  FILE_CHANGES,
  pathDraft,
  pathPattern,
  pushedTo,
  type RuleDraft,
} from "./rule-drafts.ts";

/** A branch that a sentence names: a usual one, or any in backticks. */
const BRANCH = "(?:the )?(?:`([\\w./-]+)`|(main|master|develop|trunk|production|staging))(?: branch)?(?: directly)?";
const CODE = "`([^`]+)`";
const SECRETS =
  "(?:secrets?|credentials|api keys|passwords|tokens|private keys|secret keys|access keys|`?\\.env`? files?)";

type Phrase = readonly [RegExp, (words: readonly (string | undefined)[]) => RuleDraft | undefined];

const phrase = (pattern: string): RegExp => new RegExp(`^${pattern}$`);
const always = (draft: RuleDraft) => () => draft;

/**
 * What a person can forbid or ask to be asked about, in the words of instruction files. A phrase must be the whole of what
 * a sentence says: a condition that is not part of it makes the line a text for the agent.
 */
const PHRASES: readonly Phrase[] = [
  [
    phrase(
      "(?:(?:use|run|do) )?(?:a |any )?(?:git )?(?:force[- ]push(?:ing|es)?|push with force|`?(?:git )?push (?:--force|-f)`?|(?:use )?`?--force`? (?:when pushing|with `?git push`?))(?: (?:anything|to (?:any|a|the) (?:shared |remote )?(?:branch(?:es)?|remote)))?",
    ),
    always({ on: "git.push", when: "args.force" }),
  ],
  [
    phrase(`force[- ]push(?:ing)? (?:to |on )?${BRANCH}`),
    ([, code, name]) =>
      branchDraft(code ?? name, (branch) => ({ on: "git.push", when: `args.force && (${pushedTo(branch)})` })),
  ],
  [
    phrase(
      `push(?:ing)?(?: directly| straight)?(?: (?:code|changes|commits|anything))?(?: directly| straight)? to ${BRANCH}`,
    ),
    ([, code, name]) => branchDraft(code ?? name, (branch) => ({ on: "git.push", when: pushedTo(branch) })),
  ],
  [
    phrase(
      `commit(?:ting)?(?: directly| straight)?(?: (?:code|changes|anything))?(?: directly| straight)? (?:to|on) ${BRANCH}`,
    ),
    ([, code, name]) =>
      branchDraft(code ?? name, (branch) => ({
        on: "git.commit",
        when: `has(repo.branch) && repo.branch == ${JSON.stringify(branch)}`,
      })),
  ],
  [
    phrase("(?:git )?push(?:ing)?(?: (?:code|changes|commits|anything|to (?:the |any )?remotes?))?"),
    always({ on: "git.push" }),
  ],
  [
    phrase(
      "(?:(?:create|make) (?:a |any )?(?:git )?commits?|(?:git )?commit(?:ting)?(?: (?:code|changes|anything|your changes))?)",
    ),
    always({ on: "git.commit" }),
  ],
  [phrase("merge (?:a |any |your own )?(?:pull requests?|prs?)"), always({ on: "github.merge" })],
  [
    phrase(
      "(?:(?:use|pass|add|commit with|push with|commit or push with|run git with) )?(?:the )?`?--no-verify`?(?: (?:flag|option))?(?: (?:when committing|on commits?|with git))?",
    ),
    always({ on: ["git.commit", "git.push"], when: "args.noVerify" }),
  ],
  [
    phrase("(?:skip|bypass|disable|circumvent) (?:the )?(?:git |pre-commit |commit |pre-push )?hooks?"),
    always({ on: ["git.commit", "git.push", "git.hooks"], when: "args.noVerify || args.off" }),
  ],
  [phrase("amend (?:existing |previous )?commits?"), always({ on: "git.commit", when: "args.amend" })],
  [phrase("rewrite (?:the )?(?:git |commit )?history"), always({ on: ["git.rewrite", "git.rebase"] })],
  [phrase("discard (?:any |my |local |uncommitted |unstaged )*(?:changes|work)"), always({ on: "git.discard" })],
  [phrase("delete (?:any |remote |local )*branches"), always({ on: "git.branch.delete" })],
  [
    phrase(
      "(?:install|add|introduce|pull in) (?:any )?(?:new )?(?:npm |pip |python |third-party |external |runtime )?(?:dependency|dependencies|packages?|library|libraries)",
    ),
    always({ on: "packages.install", when: "size(args.names) > 0" }),
  ],
  [
    phrase(
      "publish(?:ing)?(?: (?:any |the )?(?:packages?|anything|releases?|to (?:npm|pypi|crates\\.io|a registry)))?",
    ),
    always({ on: "packages.publish" }),
  ],
  [phrase("deploy(?:ing)?(?: (?:anything|the app|the application|code|changes))?"), always({ on: "deploys.run" })],
  [phrase("run (?:any )?(?:database |db |schema )?migrations?"), always({ on: "database.migrate" })],
  [phrase("drop (?:any )?(?:database )?(?:tables?|databases?)"), always({ on: "database.drop" })],
  [phrase("delete (?:any |existing )?files?"), always({ on: "files.delete" })],
  [phrase("(?:use|run (?:commands |anything )?(?:with|as)) `?(?:sudo|root)`?"), always(commandDraft("sudo *"))],
  [
    phrase("(?:skip|disable|weaken|comment out) (?:any |the |failing |existing )*tests?"),
    always({ on: "tests.weaken" }),
  ],
  [
    phrase(
      `(?:commit|check in|push)(?:ting|ing)? (?:any )?${SECRETS}(?:(?:,| or| and|, or|, and) (?:any )?${SECRETS})*(?: to (?:git|the repo|the repository|version control))?`,
    ),
    always({
      on: ["git.stage", "git.commit", "git.push"],
      when: `has(repo.secret) || (has(args.path) && args.path.matches("(^|/)[.]env([.][a-z]+)?$"))`,
    }),
  ],
  [
    phrase(`(?:run|execute|invoke) ${CODE}(?: (?:commands?|directly|yourself))?`),
    ([, code]) => forbidCommand(code, "run"),
  ],
  [phrase(`use ${CODE}(?: (?:commands?))?`), ([, code]) => forbidCommand(code, "use")],
  [phrase("use (npm|yarn|pnpm|bun|pip|poetry|conda)"), ([, name]) => forbidCommand(name, "use")],
  [
    phrase(
      `(?:edit|modify|touch|change|update|write to|alter)(?: (?:any|the))?(?: (?:files?|code|anything))?(?: (?:in|under|inside|below))?(?: the)? ${CODE}(?: (?:files?|folder|directory))?(?: (?:by hand|manually|directly))?`,
    ),
    ([, code]) => filesDraft(FILE_CHANGES, code),
  ],
  [
    phrase(
      `(?:delete|remove)(?: (?:any|the))?(?: (?:files?|anything))?(?: (?:in|under|inside|from))?(?: the)? ${CODE}(?: (?:files?|folder|directory))?`,
    ),
    ([, code]) => filesDraft(["files.delete", "files.move"], code),
  ],
  [
    phrase(
      `(?:read|open|print|cat|display|look at|access)(?: (?:any|the))?(?: (?:files?|contents?|anything))?(?: (?:in|under|inside|of))?(?: the)? ${CODE}(?: (?:files?|folder|directory))?`,
    ),
    ([, code]) => filesDraft("read_file", code),
  ],
];

/** The rules for an activity, or `undefined` if a part of it is not known. */
export function draftsOf(activity: string): readonly RuleDraft[] | undefined {
  const whole = draftOf(activity);
  if (whole !== undefined) return [whole];
  const parts = activity.split(/,? (?:or|and) |, /);
  if (parts.length < 2 || parts.length > 6) return undefined;
  // "edit or delete `db/schema.sql`": what stands at the end belongs to each verb.
  const [, object] = / ((?:files? |anything )?(?:in |under )?`[^`]+`)$/.exec(parts.at(-1) ?? "") ?? [];
  const drafts = parts.map(
    (part) => draftOf(part) ?? (object === undefined || part.includes("`") ? undefined : draftOf(`${part} ${object}`)),
  );
  return drafts.every((one) => one !== undefined) ? drafts.filter(isOwn) : undefined;
}

/** Is the draft more than a part of an earlier one? */
function isOwn(draft: RuleDraft, at: number, all: readonly RuleDraft[]): boolean {
  const on = [draft.on].flat();
  return !all.slice(0, at).some((one) => one.when === draft.when && on.every((name) => [one.on].flat().includes(name)));
}

function draftOf(activity: string): RuleDraft | undefined {
  for (const [pattern, make] of PHRASES) {
    const found = pattern.exec(activity);
    if (found !== null) return make(found);
  }
  return undefined;
}

function branchDraft(name: string | undefined, make: (branch: string) => RuleDraft): RuleDraft | undefined {
  return name === undefined ? undefined : make(name);
}

/** Words that are programs and also words of a language: `Never use find` may be about an array. */
const MANAGERS: ReadonlySet<string> = new Set("npm yarn pnpm bun pip pip3 poetry conda uv pipenv sudo".split(" "));

function forbidCommand(code: string | undefined, verb: "run" | "use"): RuleDraft | undefined {
  const command = commandIn(code);
  if (command === undefined) return undefined;
  const [program = "", ...rest] = command.split(" ");
  if (verb === "use" && rest.length === 0 && !MANAGERS.has(program)) return undefined;
  return commandDraft(command.endsWith("*") ? command : `${command} *`);
}

/** The text as a plain command of a known program, of a script of the project, or `undefined`. */
function commandIn(code: string | undefined): string | undefined {
  const command = (code ?? "").trim().replace(/\s+/g, " ");
  const [program = ""] = command.split(" ");
  if (!/^[\w./@:=*+,%-]+(?: [\w./@:=*+,%-]+)*$/.test(command)) return undefined;
  const isScript = /^(?:\.{1,2}\/|[\w-]+\/)[\w./-]+$/.test(program) && !/\.(?:md|json|ya?ml|toml|txt)$/.test(program);
  return isScript || (/^[a-z]/.test(program) && PROGRAMS.specsOf(program).length > 0) ? command : undefined;
}

/** Names without a slash that are files; `User.email` is none. */
const FILE_NAME =
  /^(?:\.[\w*][\w.*-]*|[\w*.-]+\.(?:[cm]?[jt]sx?|json[5c]?|ya?ml|toml|lock|mdx?|txt|py|pyi|go|rs|rb|java|kts?|swift|[ch]|cc|cpp|hpp|cs|php|sh|sql|s?css|html|vue|svelte|proto|graphql|env|pem|key|ini|cfg|conf|xml|gradle|tf|ipynb|csv|svg|png)|Makefile|Dockerfile|Jenkinsfile|CODEOWNERS|LICENSE)$/;

/** A path in backticks; no command, no identifier, no package. */
function filesDraft(on: string | readonly string[], code: string | undefined): RuleDraft | undefined {
  const path = code ?? "";
  const isPath = /^[\w@.*~/-]+$/.test(path) && (path.includes("/") || FILE_NAME.test(path));
  const pattern = isPath && !/^@[\w-]+\/[\w-]+$/.test(path) ? pathPattern(path) : undefined;
  return pattern === undefined ? undefined : pathDraft(on, pattern);
}

/** The calls that a sentence can put something before. */
const GATES: readonly (readonly [RegExp, string])[] = [
  [
    phrase(
      "(?:every |each |any |you |making a |creating a |you make a )?(?:git )?commit(?:s|ting)?(?: (?:changes|code|anything|your changes|your work))?",
    ),
    "git.commit",
  ],
  [
    phrase("(?:every |each |any |you )?(?:git )?push(?:es|ing)?(?: (?:changes|code|anything|to (?:the )?remote))?"),
    "git.push",
  ],
  [phrase("(?:every |each |any |you )?(?:deploy(?:s|ing|ment|ments)?)(?: (?:anything|the app))?"), "deploys.run"],
  [
    phrase(
      "(?:every |each |any |you )?(?:publish(?:es|ing)?|release|releasing)(?: (?:packages?|a (?:package|release|version)))?",
    ),
    "packages.publish",
  ],
  [phrase("(?:every |each |any |you )?merg(?:e|ing)(?: (?:a |any )?(?:pull requests?|prs?))?"), "github.merge"],
];

/** The effects that `before committing or pushing` names; `undefined` if one of them is not known. */
export function gatesOf(text: string): readonly string[] | undefined {
  const gates = text.split(/ (?:or|and) |, /).map((part) => GATES.find(([pattern]) => pattern.test(part.trim()))?.[1]);
  return gates.every((one) => one !== undefined) ? gates : undefined;
}

const CHECKS: readonly (readonly [RegExp, string])[] = [
  [phrase("(?:all |the |all the |the full |the whole |unit )*tests?(?: suite)?"), "tests.run"],
  [phrase("(?:the )?(?:lint(?:er|ers|ing)?)"), "lints.run"],
  [phrase("(?:the )?(?:type[- ]?check(?:er|s|ing)?)"), "types.check"],
  [phrase("(?:the |a )?(?:full )?builds?"), "builds.run"],
];
const PROVEN: ReadonlySet<string> = new Set(CHECKS.map(([, effect]) => effect));

/** A check that must have succeeded since the last change, with the action that it needs. */
export type NeededCheck = { readonly call: string; readonly actions?: RuleDraft["actions"] };

/** The checks that `the tests and the linter` or `npm run check` names; `undefined` if one of them is not known. */
export function checksOf(text: string): readonly NeededCheck[] | undefined {
  const parts = text.split(/ (?:and|&&) |, (?:and )?/).map((part) => checkOf(part.trim()));
  return parts.every((one) => one !== undefined) ? parts.flat() : undefined;
}

function checkOf(text: string): readonly NeededCheck[] | undefined {
  const named = CHECKS.find(([pattern]) => pattern.test(text))?.[1];
  if (named !== undefined) return [{ call: named }];
  const [, code] = /^(?:the )?`([^`]+)`(?: (?:command|script|tests?|suite))?$/.exec(text) ?? [];
  if (code === undefined) return undefined;
  const commands = code.split(/\s*&&\s*/).map(commandIn);
  if (!commands.every((one) => one !== undefined)) return undefined;
  return commands.map((command) => {
    const proves = lineEffects(command).find(({ name, proven }) => proven && PROVEN.has(name));
    if (proves !== undefined) return { call: proves.name };
    const name = actionName(command);
    return { call: name, actions: { [name]: { tool: "shell", command: `${command} *` } } };
  });
}
