import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { checkLayers } from "./check-layers.ts";

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
});

function faultsOf(files: Record<string, string>): readonly string[] {
  const src = mkdtempSync(join(tmpdir(), "layers-"));
  made.push(src);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(src, name)), { recursive: true });
    writeFileSync(join(src, name), text);
  }
  return checkLayers(src).map(({ file, line, message }) => `${file}:${line} ${message}`);
}

describe("the layer check", () => {
  it.each([
    ["base/kernel/a.ts", 'import { b } from "../../engine/b.ts";', "base must not import engine"],
    ["behavior/policy/a.ts", '\nimport type { B } from "../session/b.ts";', "only policy imports commands"],
    ["behavior/policy/a.ts", 'export { b } from "../../edge/host/b.ts";', "behavior must not import edge"],
    ["engine/agent/a.ts", 'const b = await import("../../apps/cli/b.ts");', "engine must not import apps"],
    ["behavior/policy/a.ts", 'import { readFile } from "node:fs";', "behavior is pure"],
    ["behavior/results/other.ts", 'import { encode } from "gpt-tokenizer";', "behavior is pure"],
    ["base/kernel/a.ts", 'import { z } from "zod";', "base imports nothing"],
    ["edge/adapters/x/a.ts", 'import { b } from "../y/b.ts";', "adapters/x must not import adapters/y"],
    ["edge/adapters/x/test/a.ts", 'import type { B } from "../../y/b.ts";', "adapters/x must not import adapters/y"],
    ["edge/adapters/shared/a.ts", 'import { b } from "./../y/b.ts";', "adapters/shared must not import adapters/y"],
    ["edge/adapters/x/a.ts", 'import { query } from "@anthropic-ai/claude-agent-sdk";', "optional peer"],
    ["engine/moments/a.ts", "const now = Date.now();", "time and randomness are passed in"],
    ["base/words/a.ts", "export const one = 1;", "types only"],
    ["engine/a.ts", 'import { x } from "../index.ts";', "outside the layers"],
    ["apps/gateway/a.ts", 'import { x } from "../cli/x.ts";', "apps/gateway must not import apps/cli"],
    ["apps/daemon/a.ts", 'import type { X } from "../cli/line/x.ts";', "apps/daemon must not import apps/cli"],
  ])("LA-1 the layer check reports %s with %s", (file, text, message) => {
    const faults = faultsOf({ [file]: text });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(message);
    expect(faults[0]).toContain(`${file}:${text.startsWith("\n") ? 2 : 1} `);
  });

  it("LA-2 the layer check accepts every import that the layout allows", () => {
    expect(
      faultsOf({
        "behavior/policy/a.ts": 'import { b } from "../../base/kernel/b.ts";\nimport { c } from "./c.ts";',
        "behavior/results/token-counter.ts": 'const t = await import("gpt-tokenizer/encoding/o200k_base");',
        "edge/adapters/x/a.ts":
          'import type { Query } from "@anthropic-ai/claude-agent-sdk";\nimport { x } from "../../../testing/x.ts";',
        "edge/adapters/y/a.ts":
          'import { s } from "../shared/s.ts";\nimport { c } from "../shared/claude/c.ts";\nimport { y } from "./y.ts";',
        "edge/adapters/shared/claude/a.ts": 'import { s } from "../s.ts";',
        "base/words/a.ts": "/** A type. */\nexport type A = { readonly b: number };\n",
        "engine/moments/a.test.ts": 'import { x } from "../../apps/cli/x.ts";\nDate.now();',
        "index.ts": 'export { a } from "./apps/a.ts";',
      }),
    ).toEqual([]);
  });

  it("LA-4 a folder contains at most 15 source files, not counting tests, test/ and recordings", () => {
    const named = (folder: string, count: number, end = "ts") =>
      Array.from({ length: count }, (_, at) => [`edge/host/${folder}f${at}.${end}`, "export type A = 1;"]);
    const others = [...named("", 20, "test.ts"), ...named("test/", 20), ...named("recorded/", 20)];
    expect(faultsOf(Object.fromEntries([...named("", 15), ...others]))).toEqual([]);
    const faults = faultsOf(Object.fromEntries(named("", 16)));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain("edge/host:1 16 source files in one folder, and 15 are the most");
  });

  it("LA-3 the layer check finds no fault in this project", () => {
    expect(checkLayers(join(import.meta.dirname, "../src"))).toEqual([]);
  });
});
