import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { API_SCHEMAS, schemasText } from "./api-schemas.ts";

it("API-33 docs/schema/api-types.schema.json is up to date (update it with npm run api-schemas)", () => {
  expect(readFileSync(API_SCHEMAS, "utf8")).toBe(schemasText());
});
