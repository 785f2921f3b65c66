import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { configJsonSchema } from "./config-json-schema.ts";

it("CF-13 docs/schema/conduct.schema.json is current: npm run -s conduct -- config schema > docs/schema/conduct.schema.json", async () => {
  const kept = await readFile(new URL("../../../../docs/schema/conduct.schema.json", import.meta.url), "utf8");
  expect(kept).toBe(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
});
