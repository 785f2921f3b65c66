import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");

it("TST-1 no helper sets up hooks when it is loaded: test files share what they load, and only the first would have them", () => {
  const helpers = globSync("{src,scripts,bench,examples}/**/*.ts", { cwd: ROOT }).filter(
    (file) => !file.endsWith(".test.ts"),
  );
  expect(helpers.length).toBeGreaterThan(100);
  const found = helpers.filter((file) =>
    /^(?:await )?(?:before|after)(?:Each|All)\(/m.test(readFileSync(join(ROOT, file), "utf8")),
  );
  expect(found).toEqual([]);
});
