import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Notes that it ran and how it ends, which the plan says: one digit for each run, the last one for all further runs. */
const PLANNED = `#!/bin/sh
case "$1 $2" in "test ") name=t ;; "run test:ci") name=c ;; *) exit 9 ;; esac
read -r done < "$RAN"
set -- $PLAN
n=$((\${#done} / 2))
[ "$n" -lt $# ] || n=$(($# - 1))
shift "$n"
printf %s "$name$1" >> "$RAN"
exit "$1"
`;
const REMOVES = '#!/bin/sh\nprintf %s "x0" >> "$RAN"\nexit "$ALPHA"\n';
const FIXED = { alpha: '#!/bin/sh\nexit "$ALPHA"\n', beta: '#!/bin/sh\nexit "$BETA"\n' };

/** `plan`: the statuses of `npm`, one after the other. */
export type Trial = { readonly script: string; readonly plan: string; readonly alpha: number; readonly beta: number };
/** `ran`: what ran in order, as `t` (npm test), `c` (npm run test:ci) and `x` (rm), each with its status. */
export type Ending = { readonly ok: boolean; readonly ran: string; readonly hung?: boolean };

const HANGS_MS = 10_000;

/** A real bash whose programs only note that they ran, and then succeed or fail as they are told. */
export class RecordingBash {
  readonly #dir = mkdtempSync(join(tmpdir(), "conduct-status-"));

  constructor() {
    for (const [name, source] of Object.entries({ npm: PLANNED, rm: REMOVES, ...FIXED })) {
      writeFileSync(join(this.#dir, name), source);
      chmodSync(join(this.#dir, name), 0o755);
    }
  }

  /** Runs all trials in one process group, which ends with the last of them. */
  async run(trials: readonly Trial[]): Promise<readonly Ending[]> {
    if (trials.length === 0) return [];
    const driver = join(this.#dir, "driver.sh");
    const lines = trials.map(
      ({ script, plan, alpha, beta }, i) =>
        `RAN=ran.${i} PLAN='${[...plan].join(" ")}' ALPHA=${alpha} BETA=${beta}; : > $RAN; (exec bash --norc --noprofile -c ${quoted(script)}) < /dev/null > /dev/null 2>&1; status=$?; ran=; read -r ran < $RAN; echo "$status $ran"`,
    );
    writeFileSync(driver, ["export RAN PLAN ALPHA BETA", "ulimit -t 20", ...lines].join("\n"));
    const env = { PATH: `${this.#dir}:/usr/bin:/bin`, FUNCNEST: "5" };
    const child = spawn("bash", [driver], { cwd: this.#dir, env, detached: true, stdio: ["ignore", "pipe", "ignore"] });
    const group = child.pid;
    const kill = () => {
      try {
        if (group !== undefined) process.kill(-group, "SIGKILL");
      } catch {
        // Every process of the group has ended.
      }
    };
    // A script that hangs is killed with its whole group.
    let timer = setTimeout(kill, HANGS_MS);
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      clearTimeout(timer);
      timer = setTimeout(kill, HANGS_MS);
    });
    await once(child, "close");
    clearTimeout(timer);
    kill();
    const endings = output
      .split("\n")
      .slice(0, -1)
      .map((line) => {
        const [status, ran = ""] = line.split(" ");
        return { ok: status === "0", ran };
      });
    if (endings.length === trials.length) return endings;
    const hung = { ok: false, ran: "", hung: true };
    return [...endings, hung, ...(await this.run(trials.slice(endings.length + 1)))];
  }

  [Symbol.dispose](): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

function quoted(script: string): string {
  return `'${script.replaceAll("'", "'\\''")}'`;
}
