import { describe, expect, it } from "vitest";
import { installCommand, loadOptional } from "./optional-package.ts";

describe("a package that only some users need", () => {
  it("OPT-1 a missing package is reported with its purpose and the command that installs it", async () => {
    const name = "conduct-has-no-such-package";
    await expect(loadOptional(name, "A PostgreSQL store", () => import(name))).rejects.toMatchObject({
      code: "PACKAGE_MISSING",
      fix: "npm install",
      message: `A PostgreSQL store needs the package ${name}, which is not installed. Run: npm install`,
    });
  });

  it("OPT-2 any other failure of the package is reported as it is", async () => {
    const broken = () => Promise.reject(new TypeError("broken"));
    await expect(loadOptional("pg", "A store", broken)).rejects.toThrow(TypeError);
  });

  it.each([
    ["file:///usr/lib/node_modules/agent-conduct/dist/a.mjs", "npm install -g pg"],
    ["file:///C:/Users/a/AppData/Roaming/npm/node_modules/agent-conduct/dist/a.mjs", "npm install -g pg"],
    ["file:///home/a/app/node_modules/agent-conduct/dist/a.mjs", "npm install pg"],
    ["file:///home/a/conduct/src/base/kernel/optional-package.ts", "npm install"],
  ])("OPT-3 at %s the command is %s", (url, command) => {
    expect(installCommand("pg", url)).toBe(command);
  });
});
