import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseObject } from "../../src/base/kernel/json.ts";
import { CLAUDE, environment } from "./cli.ts";
import type { Place } from "./place.ts";

/** What gives a program a terminal; of util-linux. */
const SCRIPT = "/usr/bin/script";
export const hasTerminal = process.platform === "linux" && existsSync(SCRIPT);

/** Claude Code as a person sees it. */
export type Terminal = {
  type(text: string): void;
  /** Everything shown so far, without colours and spaces. */
  shown(): string;
  /** Waits until it is so, doing something again and again meanwhile: a key that comes too early is lost. */
  until(isSo: () => boolean, what: string, meanwhile?: () => void): Promise<void>;
  close(): Promise<void>;
};

const PATIENCE_MS = 90_000;

/** Past what a first start asks: the folder is trusted, the key approved. */
export function openTerminal(place: Place, modelUrl: string, args: readonly string[] = []): Terminal {
  const file = join(place.config, ".claude.json");
  const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };
  const first = {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: ["scripted"], rejected: [] },
    projects: { [place.workspace]: trusted },
  };
  writeFileSync(file, JSON.stringify({ ...parseObject(readFileSync(file, "utf8")), ...first }));
  const command = `stty cols 160 rows 50; exec ${[CLAUDE, ...args].join(" ")}`;
  const child = spawn(SCRIPT, ["-qfec", command, "/dev/null"], {
    cwd: place.workspace,
    env: { ...environment(place, modelUrl), TERM: "xterm-256color" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  let output = "";
  child.stdout.on("data", (text) => {
    output += text;
  });
  child.stdin.on("error", () => undefined);
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a terminal is told.
  const shown = () => output.replace(/\u001b\][^\u0007]*\u0007|\u001b\[[0-?]*[ -/]*[@-~]|\s/g, "");
  return {
    type: (text) => child.stdin.write(text),
    shown,
    async until(isSo, what, meanwhile = () => undefined) {
      const end = Date.now() + PATIENCE_MS;
      while (!isSo()) {
        if (Date.now() > end) throw new Error(`${what} did not come; shown: ${shown().slice(-1_500)}`);
        meanwhile();
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
    },
    async close() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
