import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { missingInBun } from "./bun-imports.ts";

const dist = mkdtempSync(join(tmpdir(), "conduct-bun-"));
afterEach(() => rmSync(dist, { recursive: true, force: true }));

it("BUN-1 a file that OpenCode's plugin loads with it, and that needs node:sqlite, fails the build", () => {
  const put = (name: string, text: string) => writeFileSync(join(dist, name), text);
  put("plugin.mjs", 'import { a } from "./a.mjs";\nimport "./b.mjs";\nconst late = () => import("./late.mjs");\n');
  put("a.mjs", 'export { c } from "./c.mjs";\nimport { p } from "./plugin.mjs";\n');
  put("b.mjs", 'function open() {\n  return process.getBuiltinModule("node:sqlite");\n}\n');
  put("c.mjs", "export const c = 1;\n");
  put("late.mjs", 'import { DatabaseSync } from "node:sqlite";\n');
  expect(missingInBun(dist, ["plugin.mjs"])).toEqual([]);
  put("c.mjs", 'const { DatabaseSync: D } = process.getBuiltinModule("node:sqlite");\n');
  expect(missingInBun(dist, ["plugin.mjs"])).toEqual(["node:sqlite in plugin.mjs → a.mjs → c.mjs"]);
  put("c.mjs", 'import { DatabaseSync } from "node:sqlite";\n');
  expect(missingInBun(dist, ["plugin.mjs"])).toHaveLength(1);
});
