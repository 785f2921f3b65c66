import { describe, expect, it } from "vitest";
import { asList, asObject, asString } from "../../base/kernel/json.ts";
import type { JsonObject } from "../../base/words/json.ts";
import { gateFaults } from "../../edge/host/gate/gate-files.ts";
import { programsText } from "../cli/commands/init/render.ts";
import { clientCommand } from "./client-runtimes.ts";
import { programNames } from "./find-program.ts";
import { hookCommand } from "./hooks/hook-command.ts";
import { isOwnServer } from "./hooks/mcp-servers-file.ts";
import { launcherCmd } from "./launcher/launcher-cmd.ts";
import { launcherPath } from "./launcher/launcher-files.ts";
import type { InstallPlace, SettingsFile } from "./runtime.ts";
import { runtimeNamed } from "./runtimes.ts";

const HOME = "C:\\Users\\Ann O'Hara\\.conduct";
const LAUNCHER = "C:\\Users\\Ann O'Hara\\.conduct\\bin\\conduct.cmd";
const CALLED = "& 'C:\\Users\\Ann O''Hara\\.conduct\\bin\\conduct.cmd' hook";

const place = (enforcement: InstallPlace["enforcement"] = "enforce"): InstallPlace => ({
  env: { HOME: "/nobody" },
  home: HOME,
  launcher: launcherPath(HOME, "win32"),
  enforcement,
  platform: "win32",
  daemon: { port: 4711, token: "t".repeat(64) },
});

function filesOf(name: string, at = place()): readonly SettingsFile[] {
  const files = runtimeNamed(name)?.files(at) ?? [];
  if ("refused" in files) throw new Error(files.refused);
  return files;
}

function added(file: SettingsFile, text?: string): string {
  const edited = file.add(text);
  if ("refused" in edited) throw new Error(edited.refused);
  return edited.text ?? "";
}

/** The shell commands of the hooks at one event. */
function commandsAt(event: string, text: string): readonly JsonObject[] {
  const groups = asList(asObject(JSON.parse(text).hooks)[event]);
  return groups
    .flatMap((group) => ("hooks" in asObject(group) ? asList(asObject(group).hooks) : [group]))
    .map(asObject);
}

const watched = (runtime: string) =>
  `if ($(try { (Get-Content -Raw -LiteralPath 'C:\\Users\\Ann O''Hara\\.conduct\\runtimes.json' -ErrorAction Stop | ConvertFrom-Json).'${runtime}'.enforcement -ceq 'shadow' } catch { $false })) { exit 0 }; `;
const started = (words: string) =>
  `$rc = 127; try { ${CALLED} ${words}; $rc = $LASTEXITCODE } catch { }; if ($rc -eq 0) { exit 0 }; `;
const ends = (means: string, code: number) =>
  `if ($rc -eq 2) { exit 2 }; if ($rc -ne 3) { [Console]::Error.WriteLine('The Conduct hook did not answer (exit ' + $rc + '); ${means}.') }; exit ${code}`;
const BLOCKED = ends("blocked to be safe", 2);
const DENIED =
  '{"permissionDecision":"deny","permissionDecisionReason":"The Conduct hook did not answer; blocked to be safe. A person can find the cause with: conduct doctor The call did not run; tell the operator."}';

describe("what conduct init writes on Windows", () => {
  it.each([
    ["claude-code", "SessionStart", { shell: "powershell", command: `${started("claude-code")}${BLOCKED} # conduct` }],
    ["codex", "PreToolUse", { command: `${started("codex")}${watched("codex")}${BLOCKED}` }],
    ["codex", "Stop", { command: `${started("codex")}${watched("codex")}${ends("this event was not seen", 1)}` }],
    ["gemini", "BeforeTool", { command: `${started("gemini")}${watched("gemini")}${BLOCKED}` }],
    [
      "copilot",
      "preToolUse",
      {
        powershell: `${started("copilot preToolUse")}${watched("copilot")}[Console]::Out.Write('${DENIED}'); exit 0 # The Conduct hook did not answer`,
      },
    ],
  ])("WIN-1 the hook of %s at %s is a PowerShell command that starts conduct.cmd", (name, event, wanted) => {
    const [file] = filesOf(name);
    if (file === undefined) throw new Error("no file");
    expect(commandsAt(event, added(file))[0]).toMatchObject(wanted);
  });

  it("WIN-2 in shadow mode a failing start of Claude Code's hook blocks nothing", () => {
    const [file] = filesOf("claude-code", place("shadow"));
    const [hook] = commandsAt("SessionStart", file === undefined ? "{}" : added(file));
    expect(hook?.command).toBe(`${started("claude-code")}if ($true) { exit 0 }; ${BLOCKED} # conduct`);
  });

  it.each(["claude-code", "codex", "gemini", "copilot", "opencode"])(
    "WIN-3 nothing that is written for %s needs sh or the exec gate; a second init changes nothing, and undo restores",
    (name) => {
      const own =
        '{\n  "hooks": {\n    "Mine": [\n      {\n        "hooks": [\n          {\n            "command": "mine.exe"\n          }\n        ]\n      }\n    ]\n  }\n}\n';
      for (const file of filesOf(name)) {
        const isShared = /settings\.json$|hooks\.json$/.test(file.path);
        const before = isShared ? own : undefined;
        const text = added(file, before);
        expect(text).not.toMatch(/sh -c|BASH_ENV|\/bin\/bash|\.conduct\/bin|command -v/);
        expect(file.faults(text)).toEqual([]);
        expect(added(file, text)).toBe(text);
        const removed = file.remove(text, before);
        if ("refused" in removed) throw new Error(removed.refused);
        if (isShared) expect(JSON.parse(removed.text ?? "")).toEqual(JSON.parse(own));
        else expect((removed.text ?? "").replace(/^\{\}\n$/, "")).toBe("");
      }
    },
  );

  it("WIN-4 tools are started through cmd.exe, since Node refuses to start a .cmd file, and are recognised", () => {
    const server = { command: "cmd.exe", args: ["/d", "/c", LAUNCHER, "hook", "gemini-tools"] };
    const [settings] = filesOf("gemini");
    const written = asObject(JSON.parse(settings === undefined ? "{}" : added(settings)).mcpServers).conduct;
    expect(written).toEqual({ ...server, trust: true });
    const [, config] = filesOf("codex");
    const toml = config === undefined ? "" : added(config);
    expect(toml).toContain('command = "cmd.exe" #');
    expect(toml).toContain(`args = ${JSON.stringify(["/d", "/c", LAUNCHER, "hook", "codex-tools"])} #`);
    expect(clientCommand({ home: HOME, platform: "win32" }, ["acp"])).toEqual({
      command: "cmd.exe",
      args: ["/d", "/c", LAUNCHER, "acp"],
      env: {},
    });
  });

  it.each([
    ["the launcher of Windows", { command: "cmd.exe", args: ["/d", "/c", LAUNCHER, "hook", "gemini-tools"] }, true],
    ["the launcher elsewhere", { command: "/h/.conduct/bin/conduct", args: ["hook", "gemini-tools"] }, true],
    ["forward slashes", { command: "C:/Users/a/.conduct/bin/conduct.cmd", args: ["hook", "copilot-tools"] }, true],
    ["another program", { command: "cmd.exe", args: ["/c", "C:\\x\\bin\\other.cmd", "my-tools"] }, false],
    ["a program that is only given ours", { command: "x.exe", args: [LAUNCHER, "my-tools"] }, false],
    ["a name that ends alike", { command: "C:\\x\\bin\\misconduct.cmd", args: ["my-tools"] }, false],
    ["no tools", { command: LAUNCHER, args: ["mcp"] }, false],
  ])("WIN-5 a server of ours is recognised on every platform: %s", (_what, server, isOurs) => {
    expect(isOwnServer(server)).toBe(isOurs);
  });

  it("WIN-6 the launcher is conduct.cmd: home, missing installation and exit code, in a batch file's own syntax", () => {
    expect(launcherPath(HOME, "win32")).toBe(LAUNCHER);
    expect(launcherPath("/h/.conduct", "linux")).toBe("/h/.conduct/bin/conduct");
    const program = "C:\\100%\\conduct.mjs";
    const lines = launcherCmd(HOME, { node: "C:\\Program Files (x86)\\node.exe", program }).split("\r\n");
    expect(lines[0]).toBe("@echo off");
    expect(lines.filter((line) => !line.startsWith("rem ")).slice(2)).toEqual([
      'if "%~1"=="hook" set "CONDUCT_HOME="',
      'if "%~1"=="acp" set "CONDUCT_HOME="',
      'if "%~1"=="mcp" set "CONDUCT_HOME="',
      `if not defined CONDUCT_HOME set "CONDUCT_HOME=${HOME}"`,
      'if not exist "C:\\100%%\\conduct.mjs" goto gone',
      'if not exist "C:\\Program Files (x86)\\node.exe" goto gone',
      '"C:\\Program Files (x86)\\node.exe" "C:\\100%%\\conduct.mjs" %*',
      "exit /b %ERRORLEVEL%",
      ":gone",
      expect.stringMatching(/^>&2 echo Conduct is not where it was installed/),
      'if "%~1"=="hook" exit /b 3',
      "exit /b 1",
      "",
    ]);
    const umlaut = launcherCmd("C:\\Users\\Jörg\\.conduct", { node: "C:\\n.exe", program: "C:\\p.mjs" });
    expect(umlaut).toContain("\r\nchcp 65001 >nul\r\n");
  });

  it("WIN-7 the plan of init and doctor say that there is no exec gate on Windows", () => {
    const why = "the exec gate needs a POSIX shell, so it is not available on Windows";
    expect(programsText(HOME, undefined, "win32")).toContain(why);
    expect(gateFaults(HOME, "win32")).toEqual([why]);
    const [, config] = filesOf("codex");
    expect(config?.about).not.toContain("exec gate");
  });

  it("WIN-9 a runtime's program is found by its endings, not as the shell script next to its .cmd file", () => {
    expect(programNames("codex", { PATHEXT: ".EXE;.CMD;" }, "win32")).toEqual(["codex.exe", "codex.cmd"]);
    expect(programNames("codex", {}, "win32")).toContain("codex.cmd");
    expect(programNames("codex", { PATHEXT: ".EXE" }, "linux")).toEqual(["codex"]);
  });

  it("WIN-8 elsewhere the command stays a shell command", () => {
    const at = { home: "/h/.conduct", launcher: "/h/.conduct/bin/conduct", platform: "darwin" } as const;
    expect(hookCommand(at, "codex")).toMatchObject({ command: "/h/.conduct/bin/conduct hook codex", shell: "sh" });
    expect(asString(hookCommand(at, "codex").passes)).toContain("/h/.conduct/runtimes.json");
  });
});
