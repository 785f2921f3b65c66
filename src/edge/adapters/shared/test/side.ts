import type { JsonObject } from "../../../../base/words/json.ts";
import type { Pipe, PipeListener } from "../mcp/pipe.ts";

/** One side of the proxy, played by a test: its messages sent and received, byte for byte. */
export type Side = {
  readonly heard: string[];
  say(message: object | string): void;
  /** Takes the first matching message, already received or still to come. */
  hear(fits?: (message: JsonObject) => boolean): Promise<JsonObject>;
  leave(code?: number): void;
};

export function side(): { readonly side: Side; readonly pipe: Pipe; closed(): boolean } {
  const heard: string[] = [];
  const waiting = new Set<() => void>();
  let listener: PipeListener | undefined;
  let closed = false;
  const pipe: Pipe = {
    listen(given) {
      listener = given;
    },
    send(message) {
      heard.push(message.toString());
      for (const look of waiting) look();
      return true;
    },
    pause: () => undefined,
    resume: () => undefined,
    async close() {
      closed = true;
    },
  };
  return {
    pipe,
    closed: () => closed,
    side: {
      heard,
      say: (message) => listener?.message(Buffer.from(typeof message === "string" ? message : JSON.stringify(message))),
      leave: (code) => listener?.end({ why: "it left", ...(code === undefined ? {} : { code }) }),
      hear: (fits = () => true) =>
        new Promise((resolve) => {
          const look = () => {
            const at = heard.findIndex((line) => fits(JSON.parse(line)));
            if (at < 0) return;
            waiting.delete(look);
            resolve(JSON.parse(heard.splice(at, 1)[0] ?? ""));
          };
          waiting.add(look);
          look();
        }),
    },
  };
}
