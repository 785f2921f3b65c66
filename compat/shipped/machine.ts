import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ConductEvent } from "../../src/base/words/event.ts";
import { helloDaemon } from "../../src/edge/host/daemon/daemon-client.ts";
import type { KitFailing, KitRun } from "../../src/testing/kit/driver.ts";
import { PACKAGE_VARIABLE } from "./install.ts";

/** A program that runs longer has failed; only then it is ended. */
export const RUN_MS = 240_000;
const POLL_MS = 100;

export type Ended = { readonly exitCode: number | null; readonly stdout: string; readonly stderr: string };

/** Rejects what takes longer than a scenario may. */
export async function limited<T>(work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = sleep(RUN_MS, undefined, { signal: over.signal }).then(() => {
    throw new Error(`the scenario took longer than ${RUN_MS / 1_000} seconds`);
  });
  late.catch(() => undefined);
  return Promise.race([work, late]).finally(() => over.abort());
}

/** Records every event of Conduct, with a plugin as a user may write one. */
const EVENTS = `import { appendFileSync } from "node:fs";
const file = new URL("../events.jsonl", import.meta.url);
export default {
  name: "kit-events",
  setup: (api) => void api.subscribe((event) => appendFileSync(file, JSON.stringify(event) + "\\n")),
};
`;

/** `name`: of the scenario's folder. */
export type SharedMachine = { readonly root: string; readonly name: string };

export function newRoot(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "conduct-kit-")));
}

/**
 * A person's machine for one scenario: a home, a workspace, and the installed `conduct`. Everything is set up with the
 * commands and files of a user, and nothing is shared with other scenarios.
 */
export class Machine {
  readonly root: string;
  readonly user: string;
  readonly workspace: string;
  /** CONDUCT_HOME. */
  readonly home: string;
  /** All that close removes. */
  readonly #own: readonly string[];
  readonly #run: KitRun;
  readonly #env: NodeJS.ProcessEnv;
  /** The installed package; a copy of its own where the scenario removes it. */
  readonly #package: string;
  readonly #daemons = new Set<number>();
  readonly #closing: (() => unknown)[] = [];
  #answering: Promise<void> = Promise.resolve();
  #closed = false;

  /**
   * `env`: what this user has set besides PATH and HOME. `on`: the machine of a runtime that keeps running for the next
   * scenario. Conduct's home is new on it as well, and so is the workspace.
   */
  constructor(run: KitRun, env: (user: string) => NodeJS.ProcessEnv = () => ({}), on?: SharedMachine) {
    this.#run = run;
    this.root = on?.root ?? newRoot();
    this.user = join(this.root, "user");
    this.workspace = join(this.root, on?.name ?? ".", "workspace");
    this.home = join(this.user, ".conduct");
    this.#own = on === undefined ? [this.root] : [this.home, dirname(this.workspace), join(this.root, "lib")];
    const { [PACKAGE_VARIABLE]: shared = "" } = process.env;
    this.#package = run.failing === "gone" ? join(this.root, "lib/node_modules/agent-conduct") : shared;
    if (this.#package !== shared) {
      mkdirSync(dirname(this.#package), { recursive: true });
      execFileSync("cp", ["-al", shared, this.#package]);
    }
    for (const folder of [this.user, this.workspace, join(this.home, "plugins")])
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#env = {
      PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: this.user,
      ...env(this.user),
    };
    for (const [path, text] of Object.entries(run.files ?? {})) this.write(join(this.workspace, path), text);
  }

  get env(): NodeJS.ProcessEnv {
    return this.#env;
  }

  get place() {
    return { workspace: this.workspace, home: this.home };
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Writes the configuration and sets the runtime up: `conduct init NAME --yes`, and `conduct enforce` unless it is in shadow. */
  async setUp(runtime: string, ...options: readonly string[]): Promise<void> {
    const { operator, shadow } = this.#run;
    this.configure();
    await this.conduct("init", runtime, "--yes", ...(operator === true ? ["--operator"] : []), ...options);
    if (shadow !== true) await this.conduct("enforce", runtime, "--yes");
    await this.#noteDaemon();
  }

  /** Writes the configuration with its plugins. */
  configure(): void {
    const { config, plugin } = this.#run;
    const plugins = { "kit-events": EVENTS, ...(plugin === undefined ? {} : { kit: plugin }) };
    for (const [name, text] of Object.entries(plugins)) this.write(join(this.home, `plugins/${name}.mjs`), text);
    const names = Object.keys(plugins).map((name) => `./plugins/${name}.mjs`);
    this.write(join(this.home, "conduct.yaml"), `plugins: ${JSON.stringify(names)}\n${config}`);
  }

  /** From now on the person answers each question once it is recorded, with `conduct approve` or `conduct deny`. */
  answerQuestions(): void {
    this.#answering = this.#answer();
  }

  /** Before each message: what the scenario and the operator do. */
  async before(turn: number): Promise<void> {
    const directive = this.#run.directives?.[turn];
    if (directive !== undefined) await this.conduct("behavior", "add", directive);
    if (turn > 1) await this.#run.before?.(turn, this.place);
  }

  /** Runs a command of Conduct as the person does. Rejects if it fails. */
  async conduct(...words: readonly string[]): Promise<Ended> {
    const ended = await this.spawn(process.execPath, [join(this.#package, "dist/conduct.mjs"), ...words]);
    if (ended.exitCode !== 0) throw new Error(`conduct ${words.join(" ")} failed: ${ended.stdout}${ended.stderr}`);
    return ended;
  }

  /** Runs a program to its end, which comes after `RUN_MS` at the latest. */
  spawn(
    program: string,
    args: readonly string[],
    { env = {}, input = "" }: { readonly env?: NodeJS.ProcessEnv; readonly input?: string } = {},
  ): Promise<Ended> {
    return new Promise((resolve, reject) => {
      const child = spawn(program, args, {
        cwd: this.workspace,
        env: { ...this.#env, ...env },
        stdio: ["pipe", "pipe", "pipe"],
        timeout: RUN_MS,
        killSignal: "SIGKILL",
      });
      const texts = { stdout: "", stderr: "" };
      child.stdin.on("error", () => undefined);
      child.stdin.end(input);
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        texts.stdout += text;
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        texts.stderr += text;
      });
      child.on("error", reject);
      child.on("close", (exitCode) => resolve({ exitCode, ...texts }));
    });
  }

  /** Everything that Conduct recorded so far. */
  events(): readonly ConductEvent[] {
    const file = join(this.home, "events.jsonl");
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
    return lines.map((line): ConductEvent => JSON.parse(line));
  }

  /** Waits for an event; rejects after a minute. */
  async until(what: string, isThere: (events: readonly ConductEvent[]) => boolean): Promise<void> {
    for (let left = 60_000 / POLL_MS; left > 0; left -= 1) {
      if (isThere(this.events())) return;
      await sleep(POLL_MS);
    }
    throw new Error(`${what} was not recorded within a minute`);
  }

  /** Every file of the workspace, by its path. */
  files(): ReadonlyMap<string, string> {
    const entries = readdirSync(this.workspace, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    const paths = entries.map((entry) => join(entry.parentPath, entry.name));
    return new Map(paths.map((path) => [relative(this.workspace, path), readFileSync(path, "utf8")]));
  }

  /**
   * From now on Conduct fails as it can on a user's machine: its configuration is damaged, its daemon is stopped, or the
   * daemon is killed and the package is removed.
   */
  async fail(how: KitFailing): Promise<void> {
    await this.#noteDaemon();
    switch (how) {
      case "crash":
        this.write(join(this.home, "conduct.yaml"), "agents: [\n");
        return;
      case "hang":
        this.#signal("SIGSTOP");
        return;
      case "gone":
        this.#signal("SIGKILL");
        rmSync(this.#package, { recursive: true });
    }
  }

  /** Ends a hang. */
  wake(): void {
    this.#signal("SIGCONT");
  }

  /** Ends a program of the scenario, also after the scenario has failed. */
  onClose(close: () => unknown): void {
    this.#closing.push(close);
  }

  /** Ends everything that the scenario started, and removes its folders. */
  async close(): Promise<void> {
    this.#closed = true;
    this.wake();
    for (const close of this.#closing.splice(0).reverse()) await close();
    await this.#answering;
    await this.#noteDaemon();
    this.#signal("SIGKILL");
    for (const folder of this.#own) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }

  async #noteDaemon(): Promise<void> {
    const hello = await helloDaemon(this.home).catch(() => undefined);
    if (hello !== undefined) this.#daemons.add(hello.pid);
  }

  #signal(signal: NodeJS.Signals): void {
    for (const pid of this.#daemons) {
      try {
        process.kill(pid, signal);
      } catch {
        this.#daemons.delete(pid);
      }
    }
  }

  async #answer(): Promise<void> {
    const { answers = [] } = this.#run;
    for (const [at, answer] of answers.entries()) {
      let asked: string | undefined;
      for (; asked === undefined && !this.#closed; await sleep(POLL_MS)) asked = this.#questions()[at];
      if (asked === undefined || answer === "none") continue;
      await this.conduct(answer === "yes" ? "approve" : "deny", asked).catch(() => undefined);
    }
  }

  #questions(): readonly string[] {
    return this.events().flatMap((event) =>
      event.type === "call" && event.decision.kind === "ask" ? [event.decision.approval] : [],
    );
  }
}
