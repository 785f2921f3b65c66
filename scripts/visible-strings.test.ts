import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { AREAS, stringsText } from "./visible-strings.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

it.each(Object.entries(AREAS))(
  "STR-1 the golden file of the area %s lists every visible text (update it with npx vitest run scripts/visible-strings --update)",
  async (_, area) => {
    await expect(stringsText(ROOT, area)).toMatchFileSnapshot(`${ROOT}${area.golden}`);
  },
);
