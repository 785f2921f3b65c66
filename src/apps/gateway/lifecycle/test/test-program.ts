import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conductProgram } from "../../../../edge/host/node/package-files.ts";
import { conductClient } from "../../client.ts";

const TOKEN = "a-token-for-tests-of-the-real-gateway";
/** Whole processes on a machine that others use too. */
const START_MS = 60_000;

export type Program = {
  readonly child: ChildProcess;
  output(): string;
  /** The first line that contains the text. Rejects if the process ends without it. */
  line(text: string): Promise<string>;
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | string | null>;
};

/** The shipped `conduct gateway`, in a home of its own, as often as it is started. */
export function programWorld(closing: (() => unknown)[], config?: string) {
  const root = mkdtempSync(join(tmpdir(), "conduct-lifecycle-"));
  const home = join(root, "home");
  mkdirSync(home);
  if (config !== undefined) writeFileSync(join(home, "conduct.yaml"), config);
  closing.push(() => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  const { CONDUCT_STORE: _, TELEGRAM_BOT_TOKEN: __, ...inherited } = process.env;
  const base = { ...inherited, CONDUCT_HOME: home, CONDUCT_TOKEN: TOKEN, SCRIPTED_KEY: "none" };

  /** Starts the process and does not wait for anything. */
  function launch(env: NodeJS.ProcessEnv = {}, args: readonly string[] = ["--port", "0"]): Program {
    const child = spawn(process.execPath, [conductProgram(), "gateway", "--json", ...args], {
      env: { ...base, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString();
      });
    const ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string | null);
    closing.push(async () => {
      child.kill("SIGKILL");
      await ended;
    });
    async function line(text: string): Promise<string> {
      const until = performance.now() + START_MS;
      for (;;) {
        const found = output.split("\n").find((one) => one.includes(text));
        if (found !== undefined) return found;
        if (child.exitCode !== null || performance.now() > until) throw new Error(`no '${text}' in: ${output}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
    return { child, output: () => output, line, ended };
  }

  /** Starts the process and waits until it serves. */
  async function start(env: NodeJS.ProcessEnv = {}, args?: readonly string[]) {
    const program = launch(env, args);
    const started = JSON.parse(await program.line('"event":"started"')) as { readonly url: string };
    return { ...program, url: started.url, client: conductClient({ url: started.url, token: TOKEN }) };
  }

  async function kill({ child, ended }: Program): Promise<void> {
    child.kill("SIGKILL");
    await ended;
  }

  return { root, home, token: TOKEN, launch, start, kill };
}
