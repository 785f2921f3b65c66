import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { enforce as runEnforce } from "../src/apps/cli/commands/enforce/enforce.ts";
import { init as runInit } from "../src/apps/cli/commands/init/init.ts";
import { initWorld } from "../src/apps/cli/commands/init/init-world.ts";
import { testTerminal } from "../src/apps/cli/test/test-terminal.ts";
import type { ScriptedMessage } from "../src/testing/test/model-server/index.ts";

/** The title under which `npm run compat` finds the result for the coverage map. */
export const EXEC_GATE =
  "exec-gate: a script that force-pushes is stopped, and tests that fail behind a pipe are no proof";

/** What the agent runs, one call after the other. The text of none of them shows what it does. */
const COMMANDS = {
  push: "./x.sh",
  test: "npm test 2>&1 | tail -n 1",
  commit: "./y.sh",
} as const;

/** A repository with a remote whose history the script would rewrite, and with failing tests. */
export function setUpRepository(workspace: string): { remoteHead(): string; subjects(): string } {
  const git = (...words: string[]) =>
    execFileSync("git", ["-C", workspace, ...words], { stdio: ["ignore", "pipe", "ignore"], encoding: "utf8" }).trim();
  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(workspace, name)), { recursive: true });
    writeFileSync(join(workspace, name), text);
    if (name.endsWith(".sh")) chmodSync(join(workspace, name), 0o755);
  };
  git("init", "-q", "-b", "main");
  git("config", "user.email", "ann@example.com");
  git("config", "user.name", "Ann");
  put("package.json", '{"name":"x","version":"1.0.0","scripts":{"test":"node check.js"}}\n');
  put("check.js", 'console.log("1 failed");\nprocess.exit(1);\n');
  put("x.sh", "#!/bin/sh\nflags=-f\nexec git push $flags origin main\n");
  put("y.sh", "#!/bin/sh\ngit commit -q --allow-empty -m saved\n");
  git("add", ".");
  git("commit", "-qm", "first");
  git("init", "-q", "--bare", join(workspace, ".git", "remote.git"));
  git("remote", "add", "origin", join(workspace, ".git", "remote.git"));
  git("push", "-q", "origin", "main");
  git("commit", "-q", "--amend", "-m", "other");
  return {
    remoteHead: () => git("ls-remote", "origin", "refs/heads/main").slice(0, 40),
    subjects: () => git("log", "--format=%s"),
  };
}

const AT_TERMINAL = { look: () => ({ kind: "person", proof: "at pts/3 under sshd" }) as const };

/** `conduct init RUNTIME`, `conduct enforce RUNTIME`, as a person runs them. */
export async function bindRuntime(
  runtime: string,
  workspace: string,
  more: { readonly trust?: boolean } = {},
): Promise<void> {
  const person = { ...initWorld(), inside: () => undefined, person: AT_TERMINAL };
  const terminal = () => testTerminal({ cwd: workspace });
  const made = await runInit({ runtime, yes: true, ...more }, terminal(), person);
  expect(made, made.ok ? "" : made.message).toMatchObject({ ok: true });
  expect(await runEnforce({ runtime, yes: true }, terminal(), person)).toMatchObject({ ok: true });
}

/** The commands as calls of a scripted model. */
export function scriptOf(name: string, argument: string): readonly ScriptedMessage[] {
  const calls = Object.entries(COMMANDS).map(([id, command]) => ({
    calls: [{ id, name, input: { [argument]: command } }],
  }));
  return [...calls, { text: "Done." }];
}

/** The script's push did not start, and neither did a commit after tests that failed behind a pipe. */
export function expectStopped(
  repository: ReturnType<typeof setUpRepository>,
  before: string,
  requests: readonly { readonly results: readonly { readonly text: string }[] }[],
): void {
  const said = [...new Set(requests.flatMap(({ results }) => results.map(({ text }) => text)))].join("\n");
  expect(said).toContain("Denied by no-force-push");
  expect(said).toMatch(/Denied by commit-needs-tests|failed [^"]* ago with exit code 1/);
  expect(repository.remoteHead()).toBe(before);
  expect(repository.subjects()).toBe("other");
}
