import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findConfig } from "./find-config.ts";
import { projectConfigPath } from "./project-config.ts";

let [base, home, shop, src] = ["", "", "", ""];
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "conduct-find-")));
  [home, shop, src] = [join(base, "home"), join(base, "shop"), join(base, "shop/src")];
  for (const folder of [home, src]) mkdirSync(folder, { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function write(file: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "agents: { a: {} }\n");
  return file;
}

describe("findConfig", () => {
  it("FND-1 finds the flag, else the project's file in the home, else the home's file, else nothing", () => {
    const found = (flag?: string) => findConfig({ home, folder: src, flag }).base;
    expect(found()).toBeUndefined();
    const common = write(join(home, "conduct.yaml"));
    expect(found()).toEqual({ from: "home", file: common });
    const ofShop = write(projectConfigPath(home, shop));
    expect(found()).toEqual({ from: "project", file: ofShop });
    const ofSrc = write(projectConfigPath(home, src));
    expect(found()).toEqual({ from: "project", file: ofSrc });
    expect(found("../mine.yaml")).toEqual({ from: "flag", file: join(shop, "mine.yaml") });
  });

  it("FND-2 a folder's own files are candidates, nearest first, and never define the agents", () => {
    const [near, far] = [write(join(src, "conduct.yaml")), write(join(shop, "conduct.yaml"))];
    const found = findConfig({ home, folder: src });
    expect([found.base, found.added.slice(0, 2)]).toEqual([undefined, [near, far]]);
    expect(findConfig({ home, folder: src, flag: "x.yaml" }).added).toEqual([]);
  });

  it("FND-3 without a folder only the flag and the home count, as for the gateway", () => {
    write(projectConfigPath(home, process.cwd()));
    expect(findConfig({ home })).toEqual({
      base: undefined,
      added: [],
      looked: [join(home, "projects"), join(home, "conduct.yaml")],
    });
  });

  it("FND-4 the home's file is not a candidate of its own folder", () => {
    write(join(home, "conduct.yaml"));
    expect(findConfig({ home, folder: home }).added).not.toContain(join(home, "conduct.yaml"));
  });

  it("FND-5 every path is listed that could change the result", () => {
    expect(findConfig({ home, folder: src }).looked).toContain(join(home, "projects"));
    mkdirSync(join(home, "projects"));
    const { looked } = findConfig({ home, folder: src });
    for (const file of [
      join(home, "conduct.yaml"),
      projectConfigPath(home, src),
      projectConfigPath(home, shop),
      join(src, "conduct.yaml"),
      join(shop, "conduct.yaml"),
    ])
      expect(looked).toContain(file);
  });
});
