import { describe, expect, it } from "vitest";
import { packagePlace } from "./installed-copy.ts";

describe("where the package is", () => {
  it.each([
    ["/usr/local/lib/node_modules/agent-conduct", { kind: "global", prefix: "/usr/local" }],
    [
      "/h/.nvm/versions/node/v24.1.0/lib/node_modules/agent-conduct",
      { kind: "global", prefix: "/h/.nvm/versions/node/v24.1.0" },
    ],
    ["/h/.npm/_npx/1a2b/node_modules/agent-conduct", { kind: "volatile" }],
    ["/h/shop/node_modules/agent-conduct", { kind: "volatile" }],
    ["/h/.local/share/pnpm/global/5/.pnpm/agent-conduct@1.0.0/node_modules/agent-conduct", { kind: "volatile" }],
    ["/h/.conduct/versions/1.0.0", { kind: "copy" }],
  ])("VER-3 %s is recognised", (folder, place) => {
    expect(packagePlace("/h/.conduct", folder, true)).toEqual(place);
  });

  it("VER-4 a checkout is recognised wherever it is", () => {
    expect(packagePlace("/h/.conduct", "/h/src/conduct", false)).toEqual({ kind: "checkout" });
  });
});
