import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { conductProgram } from "../../edge/host/node/package-files.ts";
import { findPython, runInPty } from "../../edge/host/switch/test/test-pty.ts";

/** Whole processes on a machine that others use too. */
const PATIENT = 180_000;

let root: string;
let env: NodeJS.ProcessEnv;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "conduct-codex-operator-")));
  for (const name of ["codex", "work"]) mkdirSync(join(root, name));
  // Runs the hook as Codex does: a shell below a program of that name.
  mkdirSync(join(root, "bin"));
  copyFileSync("/bin/bash", join(root, "bin/codex"));
  const { PATH } = process.env;
  env = { PATH, HOME: root, CODEX_HOME: join(root, "codex"), CONDUCT_HOME: join(root, "conduct") };
  for (const words of [
    ["init", "codex", "--operator", "--yes"],
    ["enforce", "codex", "--yes"],
  ])
    expect(conduct(...words)).toMatchObject({ status: 0 });
}, PATIENT);
afterAll(() => {
  conduct("daemon", "stop");
  rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

function conduct(...words: readonly string[]) {
  const options = { cwd: join(root, "work"), env, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [conductProgram(), ...words], options);
  return { status, said: `${stdout}${stderr}` };
}

/** Without the count of prompts, which grows with every session. */
const inForce = () =>
  conduct("behavior", "list").said.replace(/^.*\bprompts? of .*$|^.*not in any recorded prompt.*$/m, "");

/** The hook command that `conduct init` wrote, with a message as its input; returns what the person is shown. */
async function say(
  prompt: string,
  {
    session = "s1",
    words = [],
    terminal = true,
  }: { session?: string; words?: readonly string[]; terminal?: boolean } = {},
): Promise<string> {
  const { hooks } = JSON.parse(readFileSync(join(root, "codex/hooks.json"), "utf8"));
  const { command } = hooks.UserPromptSubmit[0].hooks[0];
  const event = {
    hook_event_name: "UserPromptSubmit",
    session_id: session,
    turn_id: "t",
    cwd: join(root, "work"),
    prompt,
  };
  const file = join(root, "event.json");
  const out = join(root, "out.json");
  writeFileSync(file, JSON.stringify(event));
  writeFileSync(out, "");
  writeFileSync(join(root, "run.sh"), `(${command}) < ${file} > ${out}\ntrue\n`);
  const line = [join(root, "bin/codex"), join(root, "run.sh"), ...words];
  if (terminal) await runInPty("xterm", line, env, PATIENT);
  else
    await new Promise((resolve) =>
      spawn(line[0] ?? "", line.slice(1), { env, stdio: "ignore", detached: true }).on("close", resolve),
    );
  const { reason = "", systemMessage = "" } = JSON.parse(readFileSync(out, "utf8") || "{}");
  return `${reason}${systemMessage}`;
}

describe.skipIf(findPython() === undefined)("conduct init codex --operator", () => {
  it(
    "CXO-1 a message typed in Codex' terminal program adds a directive, and a refused one names its replacement",
    async () => {
      expect(await say("KEEP: long reports")).toContain("Noted.");
      expect(inForce()).toContain("KEEP: long reports");
      const refused = await say("STOP: long reports");
      expect(refused).toMatch(
        /Nothing was changed\.[\s\S]*BEHAVIOR_CONFLICT[\s\S]*\/contract replace d_\w+ STOP: long reports/,
      );
      expect(await say("What are my rules?")).toMatch(/KEEP: long reports[\s\S]*Rules of coding: /);
      expect(await say(refused.trim().split("\n").at(-1) ?? "")).toContain("Contract changed: replaced");
      expect(inForce()).toContain("STOP: long reports");
      expect(await say("/elevated on")).toMatch(/elevated.*on/i);
    },
    PATIENT,
  );

  it(
    "CXO-2 a headless run changes nothing, also in a person's session, and nobody is elevated",
    async () => {
      const before = inForce();
      await say("KEEP: words of a program", { session: "s2", terminal: false });
      await say("KEEP: words of a program", { session: "s3", words: ["exec"] });
      await say("KEEP: words of a program", { session: "s1", terminal: false });
      expect(await say("/elevated on", { session: "s2", terminal: false })).toContain("Not elevated");
      expect(inForce()).toBe(before);
    },
    PATIENT,
  );
});
