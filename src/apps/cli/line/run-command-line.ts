import { COMMANDS } from "../declared/command-tree.ts";
import { parseCommandLine, wantsJson, wantsPager } from "./command-line.ts";
import { asTyped } from "./invocation.ts";
import { done, envelopeOf, failed, missingPackage, type Outcome, unwritable, wrongHome } from "./outcome.ts";
import { processTerminal, type Terminal } from "./terminal.ts";

/** Parses, runs and prints; returns the exit code, nonzero for every failure. Loads rarely used modules on demand. */
export async function runCommandLine(
  argv: readonly string[],
  terminal: Terminal = processTerminal(wantsJson(argv), wantsPager(argv)),
): Promise<number> {
  const { path, outcome: plain } = await outcomeOf(argv, terminal);
  const outcome = worksHere(plain, terminal);
  const command = ["conduct", ...path].join(" ");
  if (terminal.json) terminal.out(`${JSON.stringify(envelopeOf(command, outcome), null, 2)}\n`);
  else {
    await sayConfig(outcome, terminal);
    await say(outcome, terminal);
  }
  if (outcome.ok) return 0;
  // A hook must not allow what it could not check.
  return path[0] === "hook" ? (outcome.exitCode ?? 2) : (outcome.exitCode ?? 1);
}

async function outcomeOf(
  argv: readonly string[],
  terminal: Terminal,
): Promise<{ readonly path: readonly string[]; readonly outcome: Outcome }> {
  const line = await parseCommandLine(argv, COMMANDS);
  const { path } = line;
  switch (line.kind) {
    case "wrong": {
      const { code, message, fix } = line;
      const next = [{ command: fix, description: "Do this instead" }];
      return { path, outcome: failed(code, message, fix, { next, exitCode: 2 }) };
    }
    case "version": {
      const version = (await import("../../../edge/host/node/package-files.ts")).conductVersion();
      return { path, outcome: done({ version }, `${version}\n`) };
    }
    case "help": {
      const { listCommands, renderHelp } = await import("./help.ts");
      const { node } = line;
      const commands = terminal.json && "commands" in node ? await listCommands(path, node) : [];
      const next = commands.map(({ path: words, command }) => ({
        command: ["conduct", ...words].join(" "),
        description: command.description,
      }));
      const text = await renderHelp(path, node, terminal);
      return { path, outcome: done({ usage: text }, text, next) };
    }
    case "run":
      try {
        if (line.args.web === true) {
          const { openPage } = await import("../commands/open/open.ts");
          return { path, outcome: await openPage(path, line.args, terminal) };
        }
        const wrong = wrongHome(process.env);
        if (wrong !== undefined) return { path, outcome: wrong };
        const body = await line.command.load();
        // The parser and the body's type use the same declaration.
        return { path, outcome: await body(line.args as never, terminal) };
      } catch (error) {
        return { path, outcome: await unexpected(error) };
      }
  }
}

/** A bug or a system error; the stack is shown on request. */
async function unexpected(error: unknown): Promise<Outcome> {
  const known = missingPackage(error) ?? unwritable(error);
  if (known !== undefined) return known;
  const { errorText } = await import("../../../base/kernel/error-text.ts");
  const result = process.env.CONDUCT_DEBUG && error instanceof Error ? { stack: error.stack } : undefined;
  return failed("UNEXPECTED", errorText(error), "run it again with CONDUCT_DEBUG=1 and report the output", {
    result,
  });
}

/** The outcome with commands that work here. */
function worksHere(outcome: Outcome, terminal: Terminal): Outcome {
  if (outcome.ok && outcome.next.length === 0) return outcome;
  const { invocation } = terminal;
  const next = outcome.next.map((one) => ({ ...one, command: asTyped(one.command, invocation) }));
  if (outcome.ok) return { ...outcome, next };
  const { message, fix } = outcome;
  return { ...outcome, next, message: asTyped(message, invocation), fix: asTyped(fix, invocation) };
}

/** Every command that reads a configuration says which one. */
async function sayConfig({ config, text }: Outcome, terminal: Terminal): Promise<void> {
  if (config === undefined) return;
  const { configLines } = await import("../stores/config-text.ts");
  (text === undefined ? terminal.error : terminal.out)(configLines(config, terminal));
}

async function say(outcome: Outcome, { out, error, paint, tty, columns, rows, invocation }: Terminal): Promise<void> {
  const { text } = outcome;
  if (text !== undefined) {
    const isLong = rows < Number.POSITIVE_INFINITY && text.split("\n").length > rows;
    if (!isLong || !(await import("./pager.ts")).page(text)) out(text);
  } else if (!outcome.ok) {
    const { hang } = await import("../../shared/printable.ts");
    const { code, message, fix } = outcome;
    const width = tty ? columns : Number.POSITIVE_INFINITY;
    // A command is never broken, so that it can be copied.
    const isCommand = fix.startsWith(`${invocation} `);
    const lines = [
      ...hang(`  ${paint("red", `✗ ${code}`)}  `, message, width),
      ...hang(`    ${paint("dim", "try:")} `, fix, isCommand ? Number.POSITIVE_INFINITY : width),
    ];
    error(`\n${lines.join("\n")}\n\n`);
  }
  if (process.env.CONDUCT_DEBUG && !outcome.ok) error(`${JSON.stringify(outcome.result, null, 2)}\n`);
}
