import { randomInt } from "node:crypto";
import { openSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { ReadStream } from "node:tty";

/** Without letters that look alike. */
const LETTERS = "abcdefhkmnprtwxyz";
const LENGTH = 4;
const PATIENCE_MS = 60_000;

/** A random code, so that it cannot be answered in advance, for example by a piped `yes`. */
export function newCode(): string {
  return Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
}

/** Shows the question on the controlling terminal and reads a line. Returns `undefined` on timeout. */
export async function askAtTerminal(question: string): Promise<string | undefined> {
  let fd: number;
  try {
    fd = openSync("/dev/tty", "r+");
  } catch {
    return undefined;
  }
  const input = new ReadStream(fd);
  const lines = createInterface({ input, terminal: false });
  try {
    writeSync(fd, question);
    return await new Promise((resolve) => {
      const late = setTimeout(() => resolve(undefined), PATIENCE_MS);
      const done = (answer: string | undefined) => {
        clearTimeout(late);
        resolve(answer);
      };
      lines.once("close", () => done(undefined));
      lines.once("line", (line) => done(line.trim()));
    });
  } finally {
    lines.close();
    input.destroy();
  }
}
