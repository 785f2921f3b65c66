import { findInvocation } from "./invocation.ts";

const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  amber: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

export type Style = keyof typeof STYLES;

/** Styles a text; does nothing without colours. Colour never carries meaning that the text lacks. */
export type Paint = (style: Style, text: string) => string;

export function paintFor(colour: boolean): Paint {
  return (style, text) => {
    if (!colour || text === "") return text;
    const [on, off] = STYLES[style];
    return `\u001b[${on}m${text}\u001b[${off}m`;
  };
}

/** An import would load all of `node:fs`. */
const { fstatSync, writeSync } = process.getBuiltinModule("node:fs");

/** The working directory and output of a command; replaced in tests. */
export type Terminal = {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  readonly tty: boolean;
  readonly columns: number;
  /** Longer output goes through the pager. */
  readonly rows: number;
  readonly paint: Paint;
  /** True: print one envelope at the end, and nothing else. */
  readonly json: boolean;
  readonly cwd: string;
  /** The words that run Conduct here, for commands to copy. */
  readonly invocation: string;
};

const STDOUT = 1;
const STDERR = 2;
/** Narrower terminals break lines themselves. */
const NARROW = 48;
const WIDE = 120;

/** The terminal of this process. Colours on a TTY, but not with `NO_COLOR`; `FORCE_COLOR` decides alone. */
export function processTerminal(json: boolean, pager: boolean): Terminal {
  const { env } = process;
  const piped = isPiped(STDOUT);
  const tty = !piped && process.stdout.isTTY === true;
  const { FORCE_COLOR: force } = env;
  const colour = force ? force !== "0" && force !== "false" : tty && !env.NO_COLOR && env.TERM !== "dumb";
  const script = env.npm_lifecycle_event;
  const byNpm = script === "conduct" || script === "start";
  // npm runs scripts in the project's folder, not in the person's current folder.
  const cwd = (byNpm ? env.INIT_CWD : undefined) ?? process.cwd();
  let invocation: string | undefined;
  return {
    out: piped ? pipeWriter(STDOUT, writeStream) : writeStream,
    error: isPiped(STDERR) ? pipeWriter(STDERR, writeError) : writeError,
    tty,
    columns: Math.min(WIDE, Math.max(NARROW, (tty && process.stdout.columns) || 80)),
    rows: (tty && pager && process.stdout.rows) || Number.POSITIVE_INFINITY,
    paint: paintFor(colour),
    json,
    cwd,
    get invocation() {
      invocation ??= findInvocation({ env, program: process.argv[1] ?? "", cwd });
      return invocation;
    },
  };
}

/** True if a program or a file reads the output. */
function isPiped(fd: number): boolean {
  const kind = fstatSync(fd);
  return kind.isFIFO() || kind.isSocket() || kind.isFile();
}

/**
 * Writes synchronously, without Node's stream, whose loading takes a tenth of a short command's time. Data that does
 * not fit goes to `later`, with everything after it.
 */
export function pipeWriter(fd: number, later: (rest: Uint8Array) => void): (text: string) => void {
  let full = false;
  return (text) => {
    let left = Buffer.from(text);
    try {
      while (!full && left.length > 0) left = left.subarray(writeSync(fd, left));
    } catch (error) {
      endUnread(error);
      // The pipe was set to non-blocking.
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

function writeError(text: string | Uint8Array): void {
  process.stderr.write(text);
}

/** A reader that closes early (`| head`) is no failure. */
function endUnread(error: unknown): void {
  if (codeOf(error) === "EPIPE") process.exit(0);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
