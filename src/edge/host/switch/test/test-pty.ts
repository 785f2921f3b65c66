import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Runs a command in a separate pseudo-terminal, detached like `setsid -f`, and types the requested code. Writes the
 * output to the file `out` and the exit code to `out.code`.
 */
const PTY = `
import os, pty, re, sys
out, command = sys.argv[1], sys.argv[2:]
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
pid, fd = pty.fork()
if pid == 0: os.execv(command[0], command)
shown, typed = b"", False
while True:
    try: piece = os.read(fd, 4096)
    except OSError: break
    if not piece: break
    shown += piece
    asked = re.search(rb"Type ([a-z]+) to confirm", shown)
    if asked and not typed:
        typed = True
        os.write(fd, asked.group(1) + b"\\n")
_, status = os.waitpid(pid, 0)
open(out, "wb").write(shown)
open(out + ".part", "w").write(str(os.waitstatus_to_exitcode(status)))
os.rename(out + ".part", out + ".code")
`;

export type PtyEnd = { readonly code: number; readonly shown: string };

/** Finds Python; `undefined` if the machine has none. */
export function findPython(): { readonly program: string; readonly prefix: string } | undefined {
  try {
    const say = "import os, sys; print(os.path.realpath(sys.executable)); print(sys.base_prefix)";
    const [program = "", prefix = ""] = execFileSync("python3", ["-c", say], { encoding: "utf8" }).trim().split("\n");
    return process.platform === "linux" && existsSync(program) ? { program, prefix } : undefined;
  } catch {
    return undefined;
  }
}

/** `terminal` is the name of the program that creates the pseudo-terminal; "xterm" simulates a person's own. */
export async function runInPty(
  terminal: string,
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  limitMs = 60_000,
): Promise<PtyEnd> {
  const python = findPython();
  if (python === undefined) throw new Error("python3 is needed to make a pseudo-terminal");
  const folder = mkdtempSync(join(tmpdir(), "conduct-pty-"));
  try {
    const program = join(folder, terminal);
    const script = join(folder, "type-code.py");
    const out = join(folder, "out");
    copyFileSync(python.program, program);
    writeFileSync(script, PTY);
    spawn(program, [script, out, ...command], { env: { ...env, PYTHONHOME: python.prefix }, stdio: "ignore" });
    for (const until = Date.now() + limitMs; !existsSync(`${out}.code`); await sleep(50)) {
      if (Date.now() > until) throw new Error(`${command.join(" ")} did not end in its pseudo-terminal`);
    }
    return { code: Number(readFileSync(`${out}.code`, "utf8")), shown: readFileSync(out, "utf8") };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
