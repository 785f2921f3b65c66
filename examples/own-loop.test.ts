import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runExample } from "./run-example.ts";

it("EX-2 the own-loop example prints its output.txt, with agent-conduct resolved from node_modules", () => {
  const folder = mkdtempSync(join(tmpdir(), "conduct-own-loop-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(import.meta.dirname, "own-loop"), folder, { recursive: true });
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(join(import.meta.dirname, ".."), join(folder, "node_modules/agent-conduct"));
  const { status, output } = runExample(join(folder, "main.ts"));
  expect(output).toBe(readFileSync(join(folder, "output.txt"), "utf8"));
  expect(status).toBe(0);
});
