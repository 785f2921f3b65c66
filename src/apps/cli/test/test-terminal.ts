import { paintFor, type Terminal } from "../line/terminal.ts";

export function testTerminal(options: Partial<Terminal> = {}): Terminal & { said(): string; complained(): string } {
  let said = "";
  let complained = "";
  return {
    out: (text) => {
      said += text;
    },
    error: (text) => {
      complained += text;
    },
    tty: false,
    columns: 100,
    rows: Number.POSITIVE_INFINITY,
    paint: paintFor(false),
    json: false,
    cwd: process.cwd(),
    invocation: "conduct",
    ...options,
    said: () => said,
    complained: () => complained,
  };
}
