import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The only programs that recorded scripts can run. */
export const PROGRAMS = ["git", "npm", "node", "rm", "tool"];

/** Writes its name and arguments as one record. */
const RECORDER = `#!/bin/sh\nprintf '%s\\037' "\${0##*/}" "$@" "\u001e" >> "$RECORD"\n`;

/** Runs scripts with a real bash in which every program only records its arguments. */
export class BashRecorder {
  readonly #dir = mkdtempSync(join(tmpdir(), "conduct-bash-"));
  readonly home = join(this.#dir, "home");
  #runs = 0;

  constructor() {
    const bin = join(this.#dir, "bin");
    for (const dir of [bin, this.home]) mkdirSync(dir);
    for (const name of PROGRAMS) {
      writeFileSync(join(bin, name), RECORDER);
      chmodSync(join(bin, name), 0o755);
    }
  }

  /** The arguments of every program that the script ran, or `undefined` if bash found a syntax error. */
  record(script: string): readonly (readonly string[])[] | undefined {
    const cwd = join(this.#dir, `run-${this.#runs++}`);
    mkdirSync(cwd);
    const record = join(this.#dir, `record-${this.#runs}`);
    const env = { PATH: join(this.#dir, "bin"), HOME: this.home, RECORD: record };
    const options = { cwd, env, timeout: 10_000, encoding: "utf8" } as const;
    const { status, stderr } = spawnSync("/bin/bash", ["--norc", "--noprofile", "-c", script], options);
    if (status === null || /syntax error|unexpected EOF/.test(stderr)) return undefined;
    const text = existsSync(record) ? readFileSync(record, "utf8") : "";
    const records = text.split("\u001e\u001f").slice(0, -1);
    return records.map((one) => one.split("\u001f").slice(0, -1));
  }

  [Symbol.dispose](): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
