import { spawn } from "node:child_process";
import { OPENCODE, type OpencodePlace, opencodeEnv } from "./place.ts";

export type RunOptions = {
  readonly place: OpencodePlace;
  readonly workspace: string;
  /** Given on stdin: OpenCode puts an argument with spaces into quotes. */
  readonly message: string;
  readonly model: string;
  /** Goes on with it. */
  readonly session?: string;
  readonly env?: NodeJS.ProcessEnv;
};

export type Ran = { readonly exitCode: number | null; readonly stdout: string; readonly stderr: string };

/** `opencode run`, to its end. */
export function runOpencode({ place, workspace, message, model, session, env }: RunOptions): Promise<Ran> {
  const goOn = session === undefined ? [] : ["--session", session];
  return new Promise((resolve, reject) => {
    const child = spawn(OPENCODE, ["run", "--format", "json", "--model", `scripted/${model}`, ...goOn], {
      cwd: workspace,
      env: { ...opencodeEnv(place), PWD: workspace, ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (text) => {
      stdout += text;
    });
    child.stderr.on("data", (text) => {
      stderr += text;
    });
    child.on("error", reject);
    child.on("close", (exitCode) => resolve({ exitCode, stdout, stderr }));
    child.stdin.end(message);
  });
}
