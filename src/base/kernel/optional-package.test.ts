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
    ["/usr/lib/node_modules/agent-conduct/dist/a.mjs", "npm install -g pg@8"],
    ["/C:/Users/a/AppData/Roaming/npm/node_modules/agent-conduct/dist/a.mjs", "npm install -g pg@8"],
    [
      "/home/a/.npm-global/lib/node_modules/agent-conduct/dist/a.mjs",
      "npm install -g --prefix /home/a/.npm-global pg@8",
    ],
    ["/home/a%20b/lib/node_modules/agent-conduct/dist/a.mjs", "npm install -g --prefix '/home/a b' pg@8"],
    ["/home/a/app/node_modules/agent-conduct/dist/a.mjs", "npm install pg@8"],
    ["/home/a/other/node_modules/agent-conduct/dist/a.mjs", "npm install --prefix /home/a/other pg@8"],
    ["/home/a/.npm/_npx/1f/node_modules/agent-conduct/dist/a.mjs", "npm install -g agent-conduct pg@8"],
    ["/home/a/app/node_modules/.pnpm/agent-conduct@1.0.0/node_modules/agent-conduct/dist/a.mjs", "pnpm add pg@8"],
    ["/home/a/.conduct/versions/1.0.0/dist/a.mjs", "npm install pg@8 && npx conduct upgrade --refresh"],
    ["/home/a/conduct/src/base/kernel/optional-package.ts", "npm install"],
  ])("OPT-3 at %s the command is %s", (path, command) => {
    const place = { url: `file://${path}`, execPath: "/usr/bin/node", cwd: "/home/a/app/src" };
    expect(installCommand("pg", "^8.23.1", place)).toBe(command);
  });

  it.each([
    ["^8.23.1", "npm install pg@8"],
    ["^0.87.1", "npm install pg@0.87"],
    ["*", "npm install pg"],
    ["", "npm install pg"],
  ])("OPT-4 the range %s of the peer becomes %s", (range, command) => {
    const place = { url: "file:///app/node_modules/agent-conduct/dist/a.mjs", execPath: "/usr/bin/node", cwd: "/app" };
    expect(installCommand("pg", range, place)).toBe(command);
  });
});
