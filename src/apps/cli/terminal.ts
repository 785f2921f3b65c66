import { type Paint, paintFor } from "./paint.ts";

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

const NARROW = 72;
const WIDE = 120;

/** The terminal this process has. Colours only in one, and not when `NO_COLOR` asks for none. */
export function processTerminal(json: boolean): Terminal {
  const { stdout, stderr, env } = process;
  const tty = stdout.isTTY === true;
  const colour = tty && !env.NO_COLOR && env.TERM !== "dumb";
  // A reader that has seen enough (`| head`) is no failure.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  const script = env.npm_lifecycle_event;
  const byNpm = script === "conduct" || script === "start";
  return {
    out: (text) => void stdout.write(text),
    error: (text) => void stderr.write(text),
    tty,
    columns: Math.min(WIDE, Math.max(NARROW, (tty ? stdout.columns : 100) || 80)),
    paint: paintFor(colour),
    json,
    // npm runs scripts in the project's folder, whatever folder the person is in.
    cwd: (byNpm ? env.INIT_CWD : undefined) ?? process.cwd(),
    invocation: script === undefined ? "conduct" : script === "npx" ? "npx conduct" : "npm run -s conduct --",
  };
}
