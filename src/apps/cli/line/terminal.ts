import { type Paint, paintFor } from "./paint.ts";

/** Not imported: that would load all that `node:fs` has. */
const { fstatSync, writeSync } = process.getBuiltinModule("node:fs");

/** Where a command runs and speaks. Tests give their own. */
export type Terminal = {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  readonly tty: boolean;
  readonly columns: number;
  readonly paint: Paint;
  /** True: one envelope at the end, and nothing else. */
  readonly json: boolean;
  readonly cwd: string;
  /** How the person called us, for commands to copy. */
  readonly invocation: string;
};

const STDOUT = 1;
const NARROW = 72;
const WIDE = 120;

/** The terminal this process has. Colours only in one, and not when `NO_COLOR` asks for none. */
export function processTerminal(json: boolean): Terminal {
  const { env } = process;
  const piped = isPiped(STDOUT);
  const tty = !piped && process.stdout.isTTY === true;
  const colour = tty && !env.NO_COLOR && env.TERM !== "dumb";
  const script = env.npm_lifecycle_event;
  const byNpm = script === "conduct" || script === "start";
  return {
    out: piped ? pipeWriter(STDOUT, writeStream) : writeStream,
    error: (text) => void process.stderr.write(text),
    tty,
    columns: Math.min(WIDE, Math.max(NARROW, (tty ? process.stdout.columns : 100) || 80)),
    paint: paintFor(colour),
    json,
    // npm runs scripts in the project's folder, whatever folder the person is in.
    cwd: (byNpm ? env.INIT_CWD : undefined) ?? process.cwd(),
    invocation: script === undefined ? "conduct" : script === "npx" ? "npx conduct" : "npm run -s conduct --",
  };
}

/** A program or a file takes it, and no person. */
function isPiped(fd: number): boolean {
  const kind = fstatSync(fd);
  return kind.isFIFO() || kind.isSocket() || kind.isFile();
}

/**
 * Writes at once, without Node's stream, which takes a tenth of the time of a short command to load. What is not taken at once is
 * for `later`, with all that comes after it.
 */
export function pipeWriter(fd: number, later: (rest: Uint8Array) => void): (text: string) => void {
  let full = false;
  return (text) => {
    let left = Buffer.from(text);
    try {
      while (!full && left.length > 0) left = left.subarray(writeSync(fd, left));
    } catch (error) {
      endUnread(error);
      // Somebody has told this pipe to wait for nobody.
      if (codeOf(error) !== "EAGAIN") throw error;
      full = true;
    }
    if (left.length > 0) later(left);
  };
}

function writeStream(text: string | Uint8Array): void {
  const { stdout } = process;
  if (stdout.listenerCount("error") === 0) {
    stdout.on("error", (error) => {
      endUnread(error);
      throw error;
    });
  }
  stdout.write(text);
}

/** A reader that has seen enough (`| head`) is no failure. */
function endUnread(error: unknown): void {
  if (codeOf(error) === "EPIPE") process.exit(0);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
