import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { COMMANDS } from "../src/apps/cli/declared/command-tree.ts";
import type { Command, Group } from "../src/apps/cli/line/command.ts";
import { COMMON_ARGS, opened } from "../src/apps/cli/line/command-line.ts";
import { argumentsOf, listCommands, placesOf } from "../src/apps/cli/line/help.ts";

/**
 * `npm run cli-reference [-- --check]` writes docs/reference/cli.md from the declared commands. `--check` writes
 * nothing and fails if the page is out of date or a command has no example.
 */

const PAGE = join(import.meta.dirname, "../docs/reference/cli.md");
const COMMON = Object.keys(COMMON_ARGS).length;

const HEAD = `# Command line

\`conduct --help\` lists the commands by task, and \`conduct COMMAND --help\` shows one of them. Tab completes commands, options
and ids in bash, zsh and fish:

| shell | file | line |
|---|---|---|
| bash | \`~/.bashrc\` | \`eval "$(conduct completion bash)"\` |
| zsh | \`~/.zshrc\`, after \`compinit\` | \`eval "$(conduct completion zsh)"\` |
| fish | \`~/.config/fish/config.fish\` | \`conduct completion fish \\| source\` |

Every command takes these options:

| option | meaning |
|---|---|
| \`--json\` | Print one JSON envelope with \`ok\`, \`result\` or \`error\`, and \`next_actions\` |
| \`--no-pager\` | Print long output at once. Otherwise \`$PAGER\` shows it (default: \`less -FRX\`), only in a terminal |
| \`--web\` | On commands that list it below: open the same in the console |
| \`--help\` | Show the help of the command |

Exit codes: 0 success, 1 failure, 2 an invalid command line. Hints name the command that works where you are, such as
\`npm run -s conduct -- why\` in a checkout.

This page is generated from the declared commands by \`npm run cli-reference\`.
`;

/** Braces at the end of a cell would be read as attributes by the site. */
const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("{", "&#123;");

function commandText(path: readonly string[], command: Command): string {
  if (command.example === undefined) throw new Error(`conduct ${path.join(" ")} has no example`);
  const rows = argumentsOf(command)
    .slice(0, -COMMON)
    .map(({ shown, about }) => `| \`${shown}\` | ${cell(about)} |`);
  const options = rows.length === 0 ? "" : `\n| argument | meaning |\n|---|---|\n${rows.join("\n")}\n`;
  const usage = ["conduct", ...path, ...placesOf(command)].join(" ");
  return `\n### \`${usage}\`\n\n${command.description}.\n${options}\n\`\`\`sh\nconduct ${command.example}\n\`\`\`\n`;
}

async function commandsText(name: string): Promise<string> {
  const below = COMMANDS.commands[name];
  if (below === undefined) throw new Error(`a section names '${name}', which is no command`);
  const node: Command | Group = await opened(below);
  if (!("commands" in node)) return commandText([name], node);
  const listed = await listCommands([name], node);
  return listed.map(({ path, command }) => commandText(path, command)).join("");
}

const sections = Object.entries(COMMANDS.sections ?? {}).map(
  ([title, rows]) => [title, Object.keys(rows).flatMap((names) => names.split(", "))] as const,
);
const listed = new Set([...sections.flatMap(([, names]) => names), ...(COMMANDS.hidden ?? [])]);
const others = Object.keys(COMMANDS.commands).filter((name) => !listed.has(name));
const parts: string[] = [HEAD];
for (const [title, names] of [...sections, ["More", others] as const]) {
  if (names.length > 0) parts.push(`\n## ${title}\n`, ...(await Promise.all(names.map(commandsText))));
}
const page = parts.join("");

if (!process.argv.includes("--check")) {
  mkdirSync(dirname(PAGE), { recursive: true });
  writeFileSync(PAGE, page);
} else if (!existsSync(PAGE) || readFileSync(PAGE, "utf8") !== page) {
  console.error("docs/reference/cli.md is out of date. Run: npm run cli-reference");
  process.exitCode = 1;
} else console.log("cli-reference: docs/reference/cli.md lists every command");
