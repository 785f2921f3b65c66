import { expect, it } from "vitest";
import { protectedPaths } from "./protected-paths.ts";

it("SEA-26 no agent may touch the folder of keys, wherever it is", () => {
  const usual = protectedPaths("/home/ann/.conduct", "/work", { XDG_CONFIG_HOME: "/home/ann/.config" });
  expect(usual.paths).toContain("/home/ann/.config/conduct/keys");
  expect(protectedPaths("/home/ann/.conduct", "/work", { CONDUCT_KEYS: "/etc/conduct" }).paths).toContain(
    "/etc/conduct",
  );
  expect(usual.spellings).toEqual(expect.arrayContaining(["~/.config/conduct", "$CONDUCT_KEYS"]));
});
