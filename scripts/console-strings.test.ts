import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { stringsText } from "./console-strings.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

it("STR-1 console/strings.golden.txt has every text of the console; after a change: npx vitest run scripts/console-strings -u", async () => {
  await expect(stringsText(ROOT)).toMatchFileSnapshot(`${ROOT}console/strings.golden.txt`);
});
