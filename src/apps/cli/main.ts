/** Runs one command line and gives the exit code. Nothing is loaded that the command does not need. */
export async function main(argv: readonly string[]): Promise<number> {
  if (argv.length === 2 && argv[0] === "hook" && argv[1] === "codex") {
    // A runtime waits for this one at every call.
    const { hookCodex } = await import("./hook-codex.ts");
    return hookCodex();
  }
  const { runCommandLine } = await import("./run-command-line.ts");
  const { processTerminal } = await import("./terminal.ts");
  const { wantsJson } = await import("./command-line.ts");
  return runCommandLine(argv, processTerminal(wantsJson(argv)));
}
