import { COMMANDS } from "../declared/command-tree.ts";
import { parseCommandLine, wantsJson } from "./command-line.ts";
import { done, envelopeOf, failed, type Outcome } from "./outcome.ts";
import { processTerminal, type Terminal } from "./terminal.ts";

/** Parses, runs and prints; returns the exit code, nonzero for every failure. Loads rarely used modules on demand. */
export async function runCommandLine(
  argv: readonly string[],
  terminal: Terminal = processTerminal(wantsJson(argv)),
): Promise<number> {
  const { path, outcome } = await outcomeOf(argv, terminal);
  const command = ["conduct", ...path].join(" ");
  if (terminal.json) terminal.out(`${JSON.stringify(envelopeOf(command, outcome), null, 2)}\n`);
  else {
    await sayConfig(outcome, terminal);
    say(outcome, terminal);
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
      const commands = "commands" in node ? await listCommands(path, node) : [];
      const next = commands.map(({ command, description }) => ({
        command: `conduct ${command.replace(/(?: \[?[A-Z]+…?\]?)+$/, "")}`,
        description,
      }));
      const text = await renderHelp(path, node, terminal.paint);
      return { path, outcome: done({ usage: text }, text, next) };
    }
    case "run":
      try {
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
  const { errorText } = await import("../../../base/kernel/error-text.ts");
  const result = process.env.CONDUCT_DEBUG && error instanceof Error ? { stack: error.stack } : undefined;
  return failed("UNEXPECTED", errorText(error), "run it again with CONDUCT_DEBUG=1 and report the output", {
    result,
  });
}

/** Every command that reads a configuration says which one. */
async function sayConfig({ config, text }: Outcome, terminal: Terminal): Promise<void> {
  if (config === undefined) return;
  const { configLines } = await import("../stores/config-text.ts");
  (text === undefined ? terminal.error : terminal.out)(configLines(config, terminal));
}

function say(outcome: Outcome, { out, error, paint, invocation }: Terminal): void {
  if (outcome.text !== undefined) out(outcome.text);
  else if (!outcome.ok) {
    const fix = outcome.fix.replace(/^conduct\b/, invocation);
    error(`\n  ${paint("red", `✗ ${outcome.code}`)}  ${outcome.message}\n    ${paint("dim", "try:")} ${fix}\n\n`);
  }
  if (process.env.CONDUCT_DEBUG && !outcome.ok) error(`${JSON.stringify(outcome.result, null, 2)}\n`);
}
