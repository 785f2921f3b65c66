import { spawnSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { pipeWriter } from "./terminal.ts";

const BIN = join(import.meta.dirname, "../conduct.mjs");
const folder = mkdtempSync(join(tmpdir(), "conduct-terminal-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A pipe that waits for nobody, as a program leaves one that it has shared; nobody reads it yet. */
function fullPipe(): number {
  const path = join(folder, "pipe");
  expect(spawnSync("mkfifo", [path]).status).toBe(0);
  return openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
}

describe("what is written to a pipe", () => {
  it("TRM-1 a pipe receives all output in order, even if it cannot take it at once", () => {
    const pipe = fullPipe();
    const later: Uint8Array[] = [];
    const write = pipeWriter(pipe, (rest) => later.push(rest));
    // More than a pipe holds, of characters that take several bytes each.
    const texts = ["first ", "ä日😀".repeat(40_000), " last"];
    for (const text of texts) write(text);
    const taken = Buffer.alloc(1_000_000);
    const length = readSync(pipe, taken);
    closeSync(pipe);
    expect(later.length).toBe(2);
    expect(Buffer.concat([taken.subarray(0, length), ...later]).toString()).toBe(texts.join(""));
  });

  it("TRM-2 an error other than a full pipe is not swallowed", () => {
    const closed = openSync(join(folder, "closed"), "w");
    closeSync(closed);
    expect(() => pipeWriter(closed, () => undefined)("x")).toThrow("EBADF");
  });

  it.each([
    ["a reader that has seen enough ends it without a failure", `"$0" "$1" config schema | head -c 10; echo`, "{"],
    ["a pipe gets all of it", `"$0" "$1" config schema | wc -c | xargs test 20000 -lt && echo all`, "all"],
    ["a file gets all of it", `"$0" "$1" --version > out && cat out`, "0."],
    ["a closed output is no failure", `"$0" "$1" --version >&-; echo $?`, "0"],
  ])("TRM-3 output handling: %s", (_what, line, begins) => {
    const ran = spawnSync("bash", ["-o", "pipefail", "-c", line, process.execPath, BIN], {
      cwd: folder,
      encoding: "utf8",
    });
    expect([ran.status, ran.stderr]).toEqual([0, ""]);
    expect(ran.stdout.startsWith(begins), ran.stdout).toBe(true);
  });

  it("TRM-4 piped output has no colours, unless FORCE_COLOR asks for them, and equals the output to a file", () => {
    const out = join(folder, "help");
    const file = openSync(out, "w");
    spawnSync(process.execPath, [BIN, "--help"], {
      stdio: ["ignore", file, "inherit"],
      env: { ...process.env, FORCE_COLOR: "" },
    });
    closeSync(file);
    const env = { ...process.env, FORCE_COLOR: "" };
    const piped = spawnSync(process.execPath, [BIN, "--help"], { encoding: "utf8", env });
    expect(piped.stdout).toBe(readFileSync(out, "utf8"));
    expect(piped.stdout).toContain("behavior");
    const coloured = spawnSync(process.execPath, [BIN, "--help"], {
      encoding: "utf8",
      env: { ...process.env, FORCE_COLOR: "1", NO_COLOR: "1" },
    });
    expect(coloured.stdout).toContain("\u001b[1m");
  });
});
