import type { Installation } from "./launcher-script.ts";

/**
 * The text of `CONDUCT_HOME\bin\conduct.cmd`, the launcher on Windows. It starts Conduct for its own home, and says so
 * if Conduct is missing (exit 3); the guard of a hook then decides what that means. Unlike the POSIX launcher it does
 * not look for an installation that was moved. It has never run on Windows.
 */
export function launcherCmd(home: string, { node, program }: Installation): string {
  const lines = [
    "@echo off",
    "rem Conduct's launcher. Written by `conduct init`, removed by `conduct uninstall` and with the last",
    "rem `conduct init RUNTIME --undo`.",
    "setlocal DisableDelayedExpansion",
    // cmd.exe reads the file in the console's code page.
    ...([home, node, program].some((path) => /[^ -~]/.test(path)) ? ["chcp 65001 >nul"] : []),
    "rem A runtime always gets the Conduct of this home. A person may name another one.",
    ...["hook", "acp", "mcp"].map((word) => `if "%~1"=="${word}" set "CONDUCT_HOME="`),
    `if not defined CONDUCT_HOME set "CONDUCT_HOME=${inBatch(home)}"`,
    `if not exist "${inBatch(program)}" goto gone`,
    `if not exist "${inBatch(node)}" goto gone`,
    `"${inBatch(node)}" "${inBatch(program)}" %*`,
    "exit /b %ERRORLEVEL%",
    ":gone",
    `>&2 echo Conduct is not where it was installed: "${inBatch(program)}", started by "${inBatch(node)}". Install Conduct again, then run: conduct init`,
    `if "%~1"=="hook" exit /b 3`,
    "exit /b 1",
  ];
  return `${lines.join("\r\n")}\r\n`;
}

/** A percent sign starts a variable, even in quotes. A Windows path has no quotes. */
function inBatch(path: string): string {
  return path.replaceAll("%", "%%");
}
