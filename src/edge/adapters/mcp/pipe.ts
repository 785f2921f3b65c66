import type { Readable, Writable } from "node:stream";

/** Why the other side is gone. `code` is a process's exit code, where it was one. */
export type PipeEnd = { readonly why: string; readonly code?: number };

export type PipeListener = {
  /** One message as it came, without its line end. */
  message(line: Buffer): void;
  /** Once, and nothing after it. */
  end(end: PipeEnd): void;
  /** What was sent has gone out. */
  drained(): void;
};

/** One side of a relay. */
export type Pipe = {
  listen(listener: PipeListener): void;
  /** False when the other side is slow: send on, but let the source rest until `drained`. */
  send(message: string | Buffer): boolean;
  pause(): void;
  resume(): void;
  /** Lets go of the other side; resolves when it is gone. */
  close(): Promise<void>;
};

/** More than this in one line is no message. */
const MAX_LINE = 256 * 1024 * 1024;

/** Messages as lines over two streams. */
export function streamPipe(input: Readable, output: Writable, close: () => Promise<void>): Pipe {
  return {
    listen(listener) {
      let ended = false;
      const end = (why: string) => {
        if (!ended) listener.end({ why });
        ended = true;
      };
      const take = takeLines((line) => !ended && listener.message(line));
      input.on("data", (chunk: Buffer) => take(chunk) || end("it sent a line without an end"));
      input.on("end", () => end("it closed the connection"));
      input.on("close", () => end("it closed the connection"));
      input.on("error", (error) => end(error.message));
      output.on("error", (error) => end(error.message));
      output.on("drain", () => listener.drained());
    },
    send(message) {
      if (!output.writable) return true;
      output.write(message);
      return output.write("\n");
    },
    pause: () => void input.pause(),
    resume: () => void input.resume(),
    close,
  };
}

/** Cuts a stream into lines; false when one has grown too long. Empty lines are nobody's message. */
function takeLines(each: (line: Buffer) => void): (chunk: Buffer) => boolean {
  let pieces: Buffer[] = [];
  let size = 0;
  return (chunk) => {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...pieces, chunk.subarray(from, at)]);
      [pieces, size, from] = [[], 0, at + 1];
      const trimmed = line.at(-1) === 13 ? line.subarray(0, -1) : line;
      if (trimmed.length > 0) each(trimmed);
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
    size += chunk.length - from;
    return size <= MAX_LINE;
  };
}
