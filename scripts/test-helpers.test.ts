import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");

it("TST-1 no test helper registers hooks when it is imported, because only the first test file would get them", () => {
  const helpers = globSync("{src,scripts,bench,examples}/**/*.ts", { cwd: ROOT }).filter(
    (file) => !file.endsWith(".test.ts"),
  );
  expect(helpers.length).toBeGreaterThan(100);
  const found = helpers.filter((file) =>
    /^(?:await )?(?:before|after)(?:Each|All)\(/m.test(readFileSync(join(ROOT, file), "utf8")),
  );
  expect(found).toEqual([]);
});
