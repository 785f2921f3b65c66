/**
 * The guard of a hook on Windows, where no `sh` can be expected: Claude Code, Codex, Gemini CLI and Copilot CLI run a
 * hook's command in PowerShell there. The output is not captured: PowerShell would decode it with the console's code
 * page. There is no time limit; the command has its own. Written from documentation: it has never run on Windows.
 */
export function powershellGuard(command: string, failed: string, passes?: string): string {
  return [
    "$rc = 127",
    // A missing program sets no exit code, and PowerShell would then report success.
    `try { ${command}; $rc = $LASTEXITCODE } catch { }`,
    "if ($rc -eq 0) { exit 0 }",
    ...(passes === undefined ? [] : [`if (${passes}) { exit 0 }`]),
    failed,
  ].join("; ");
}

/** A call of a program: a quoted path alone would be a string, which PowerShell only prints. */
export function powershellCall(program: string, words: readonly string[]): string {
  return ["&", powershellText(program), ...words].join(" ");
}

function powershellText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Ends with the exit code for a failed hook, after saying `text` unless the command has (exit 3). */
export function powershellExit([before, after]: readonly [string, string], code: 1 | 2): string {
  const say = `[Console]::Error.WriteLine(${powershellText(before)} + $rc + ${powershellText(after)})`;
  return `if ($rc -eq 2) { exit 2 }; if ($rc -ne 3) { ${say} }; exit ${code}`;
}

/** Prints the answer of a hook that failed. */
export function powershellAnswer(text: string): string {
  return `[Console]::Out.Write(${powershellText(text)}); exit 0`;
}

/** Succeeds when a runtime is in shadow mode; anything unexpected in the file means enforced. */
export function powershellWatched(file: string, runtime: string): string {
  const read = `Get-Content -Raw -LiteralPath ${powershellText(file)} -ErrorAction Stop | ConvertFrom-Json`;
  return `$(try { (${read}).${powershellText(runtime)}.enforcement -ceq 'shadow' } catch { $false })`;
}
