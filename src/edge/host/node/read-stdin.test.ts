import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";

const PROGRAM = `
import { readStdin } from ${JSON.stringify(import.meta.resolve("./read-stdin.ts"))};
void process.stdin.isTTY;
process.stdout.write(String(readStdin().length));
`;

it("RSI-1 an event that arrives in pieces is read whole, also after process.stdin made the pipe non-blocking", async () => {
  const child = spawn(process.execPath, ["--input-type=module", "-e", PROGRAM], { stdio: ["pipe", "pipe", "inherit"] });
  const closed = once(child, "close");
  const printed = text(child.stdout);
  child.stdin.on("error", () => undefined);
  for (let piece = 0; piece < 3; piece++) {
    child.stdin.write("x".repeat(100_000));
    await sleep(150);
  }
  child.stdin.end();
  expect(await printed).toBe("300000");
  expect(await closed).toEqual([0, null]);
});
