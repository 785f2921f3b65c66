import { expect, it } from "vitest";
import { ROUTES } from "../src/apps/gateway/http/routes/index.ts";
import { httpApiPage, PAGE } from "./http-api.ts";

it("HAP-1 docs/reference/http-api.md is up to date (update it with npm run http-api)", async () => {
  await expect(httpApiPage()).toMatchFileSnapshot(PAGE);
});

it("HAP-2 the HTTP reference describes every route, with who may call it and a curl command", () => {
  const page = httpApiPage();
  for (const { key } of ROUTES) {
    const [, section = ""] = page.split(`\n### \`${key}\`\n`);
    const [text = ""] = section.split("\n### ");
    expect(text, key).toMatch(/Who: \w+/);
    expect(text, key).toMatch(/Answer 20\d/);
    expect(text, key).toContain("curl ");
  }
});
