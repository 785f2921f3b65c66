import { baseName, isLiteral, type ShellWord } from "../shell/shell-word.ts";
import type { CommandContext, CommandEffect } from "./program-effects.ts";
import type { ProgramTable } from "./program-table.ts";

/** Reads the effects of a command that another program runs. */
type Follow = (words: readonly ShellWord[], context: CommandContext) => readonly CommandEffect[];

/**
 * A program that the table does not know. A file of the project is known by its name (`./run_tests.sh`), another program
 * by its verbs (`acme publish`) and by the command or the script that it passes on (`acme exec -- npm test`).
 */
export function unknownProgram(
  word: ShellWord,
  name: string,
  rest: readonly ShellWord[],
  context: CommandContext,
  follow: Follow,
): readonly CommandEffect[] {
  const { table } = context;
  const isFile = word.text.includes("/") || SCRIPT.test(name);
  const isDry = rest.some(({ text }) => table.isDry(text) || text === "-h" || text === "help");
  const sure = isLiteral(word) && !leadsOut(word.text) && !isDry && rest.every(isLiteral);
  const effects = [
    ...(isFile ? fileEffects(word.text, rest, table, sure) : []),
    ...(isDry ? [] : verbEffects(name, rest)),
    ...(isFile ? [] : scriptRun(name, rest, table, sure)),
  ];
  const inside = word.text.startsWith("/") ? { inside: [word.text] } : {};
  return [...effects.map((effect) => ({ ...effect, ...inside })), ...wrapped(rest, context, follow, sure && !isFile)];
}

function fileEffects(
  file: string,
  rest: readonly ShellWord[],
  table: ProgramTable,
  sure: boolean,
): readonly CommandEffect[] {
  // `./build.sh test`, `./build.ps1 -Target Test`
  const at = rest.findIndex(({ text }) => /^--?target$/i.test(text));
  const target = rest[at + 1]?.text ?? "";
  const [, attached = target] = /^--?target[=:](.+)$/i.exec(rest[0]?.text ?? "") ?? [];
  const named = at > 0 ? [] : table.targetEffects(attached);
  return [
    { name: "code.run", args: { file }, sure },
    ...scriptEffects(file, table, sure),
    ...named.filter((name) => name === "tests.run").map((name) => ({ name, args: { program: baseName(file) }, sure })),
  ];
}

/** What a verb does for any program that reaches other systems. */
const DELETES = /^(?:delete|destroy|purge|nuke|wipe|terminate|drop|obliterate|undeploy)(?:all|-.*)?$/;
const PUBLISHES = /^(?:publish|unpublish|upload)(?:-(?!pack).*)?$/;
const PUBLISHING = /^--(?:publish|push|upload(?:-app|-package)?|auto-submit)$/;
const DEPLOYS = /^(?:deploy|redeploy|rollback|promote)$/;
/** The word before says that the verb is about something else: `acme logs deploy`, `acme help publish`. */
const ASKS =
  /^(?:get|list|ls|show|describe|view|logs?|status|help|info|explain|search|find|inspect|watch|man|doc|docs|lint|validate|check|plan|diff|new|init|generate|create|add|template|edit|open|test)$/;

/** Gate only: what a verb does is a guess. */
export function verbEffects(name: string, rest: readonly ShellWord[]): readonly CommandEffect[] {
  const words = rest.filter(({ text }) => /^[a-z]/.test(text)).slice(0, 3);
  const end = words.findIndex(({ text }) => ASKS.test(text));
  // `cpan-publish x`, `acme publish x`, `acme app:publish x`
  const verbs = [
    ...name.split(/[-_.]/).slice(1),
    ...words.slice(0, end < 0 ? 3 : end).flatMap(({ text }) => text.split(":")),
  ];
  const does = (pattern: RegExp) => verbs.some((verb) => pattern.test(verb));
  return [
    ...(does(DELETES) ? [{ name: "cloud.delete", args: { what: name }, sure: false }] : []),
    ...(does(PUBLISHES) || rest.some(({ text }) => PUBLISHING.test(text))
      ? [{ name: "packages.publish", args: { program: name }, sure: false }]
      : []),
    ...(does(DEPLOYS) ? [{ name: "deploys.run", args: { program: name }, sure: false }] : []),
  ];
}

/** `acme run test:unit` runs a script of the project. A bare `acme test` may be about a folder or a name. */
function scriptRun(
  name: string,
  rest: readonly ShellWord[],
  table: ProgramTable,
  sure: boolean,
): readonly CommandEffect[] {
  const [verb, script] = rest.filter(({ text }) => !text.startsWith("-"));
  if (verb?.text !== "run" || script === undefined || rest.some(({ text }) => DETACHED.test(text))) return [];
  const args = { program: name, target: script.text };
  return table.targetEffects(script.text).map((effect) => ({ name: effect, args, sure }));
}

/** Programs that unknown wrappers are likely to run, wherever they stand. */
const WRAPPED =
  /^(?:git|gh|npm|pnpm|yarn|npx|bunx|uvx|cargo|docker|podman|kubectl|helm|terraform|tofu|pulumi|aws|gcloud|az|rm|psql|mysql|bash|sh|zsh|sudo|twine|redis-cli|mongosh|sqlite3)$/;
/** Words behind which a program names the command that it runs. */
const RUNS = /^(?:run|exec|x|execute|with)$/;
/** The command runs later, elsewhere, or not at all. */
const DETACHED =
  /^(?:-d|-n|-b|--detach(?:ed)?|--background|--no-wait|--async|--remote|--host(?:=.*)?|ssh|remote|deploy|install|add|create|new|config|set|alias|schedule|submit|queue|enqueue|watch|save|record|define|register|start|print|show|list|explain|send|say|search|find|doc|docs|man)$/;
const MAX_OWN_WORDS = 7;

/** `acme --fast git push -f` likely runs git. `acme exec -- npm test` certainly passes a command on. */
function wrapped(
  rest: readonly ShellWord[],
  context: CommandContext,
  follow: Follow,
  sure: boolean,
): readonly CommandEffect[] {
  const at = passedOn(rest, context.table);
  if (at === undefined) {
    const likely = rest.findIndex(({ text }) => WRAPPED.test(text));
    if (likely < 0 || likely >= MAX_OWN_WORDS) return [];
    return follow(rest.slice(likely), context).map((effect) => ({ ...effect, sure: false }));
  }
  const own = rest.slice(0, at);
  const program = rest[at]?.text ?? "";
  const isSure = sure && !program.includes("/") && !own.some(({ text }) => DETACHED.test(text));
  return follow(rest.slice(at), context).map((effect) => ({ ...effect, sure: isSure && effect.sure }));
}

/** Where the command begins that a program is told to run. */
function passedOn(rest: readonly ShellWord[], table: ProgramTable): number | undefined {
  const dashes = rest.findIndex(({ text }) => text === "--");
  if (dashes >= 0 && dashes < MAX_OWN_WORDS) {
    const next = rest[dashes + 1]?.text ?? "";
    return isProgram(next, table) ? dashes + 1 : undefined;
  }
  const verb = rest.findIndex(({ text }) => RUNS.test(text));
  if (verb < 0 || verb >= MAX_OWN_WORDS) return undefined;
  for (let i = verb + 1; i < rest.length && i < verb + MAX_OWN_WORDS; i += 1) {
    const text = rest[i]?.text ?? "";
    if (text.startsWith("-")) continue;
    if (isProgram(text, table)) return i;
    // Only an option's value stands before the program.
    if (!/^-/.test(rest[i - 1]?.text ?? "")) return undefined;
  }
  return undefined;
}

function isProgram(text: string, table: ProgramTable): boolean {
  return table.specsOf(baseName(text)).length > 0;
}

export const SCRIPT: RegExp = /\.(?:sh|bash|zsh|fish|ps1|py|rb|pl|js|mjs|cjs|ts|mts|php|phar|R|jl|lua|exs)$/;

/** Files of a test folder that run all of its tests: `test/index.js`, `tests/run_all.py`. */
const TEST_RUN =
  /(?:^|\/)(?:tests?|specs?|__tests__|e2e)\/(?:(?:run|index|all|main|suite|runner|runtests?)(?:[-_.][\w.-]*)?)$/;
const TEST_FILE =
  /(?:[._-](?:test|spec)s?\.(?:[cm]?[jt]s|py|rb|exs?|lua|jl|php)|(?:^|\/)test_[^/]*\.py|\.t|\.rakutest)$/;

/** What a script of the project does, by its name: `scripts/test.sh` runs the tests. */
export function scriptEffects(file: string, table: ProgramTable, sure: boolean): readonly CommandEffect[] {
  const name = baseName(file).replace(SCRIPT, "");
  const isTest = TEST_RUN.test(file) || TEST_FILE.test(file);
  return [...(isTest ? ["tests.run"] : []), ...table.scriptEffects(name)].map((effect) => ({
    name: effect,
    args: { program: file },
    sure,
  }));
}

/** Absolute paths are compared with the workspace later. */
export function leadsOut(path: string): boolean {
  return /^(?:~|\.\.(?:\/|$))|\/\.\.(?:\/|$)/.test(path);
}
