import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { copyStorePackages } from "./store-packages.ts";

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

/** A project with packages, by their path, and what they depend on. */
function project(packages: Readonly<Record<string, readonly string[]>>) {
  const root = mkdtempSync(join(tmpdir(), "conduct-store-packages-"));
  roots.push(root);
  for (const [path, names] of Object.entries(packages)) {
    const file = join(root, path, "package.json");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      JSON.stringify({ name: path, dependencies: Object.fromEntries(names.map((one) => [one, "*"])) }),
    );
  }
  const to = join(root, "copy");
  const copied = (path: string) =>
    JSON.parse(readFileSync(join(to, "node_modules", path, "package.json"), "utf8")).name;
  return { from: join(root, "node_modules/agent-conduct"), to, copied };
}

describe("packages of stores in the copy of Conduct", () => {
  it("VER-8 the packages of stores are copied with their dependencies, other packages are not, and again only what is new", async () => {
    const { from, to, copied } = project({
      "node_modules/agent-conduct": [],
      "node_modules/pg": ["pg-pool", "shared"],
      "node_modules/pg-pool": ["pg", "shared"],
      "node_modules/pg-pool/node_modules/shared": ["deep"],
      "node_modules/shared": [],
      "node_modules/deep": [],
      "node_modules/@redis/client": [],
      "node_modules/ai": [],
    });
    expect(await copyStorePackages(from, to)).toBe(true);
    expect(copied("pg-pool/node_modules/shared")).toBe("node_modules/pg-pool/node_modules/shared");
    expect(copied("shared")).toBe("node_modules/shared");
    expect([copied("deep"), copied("@redis/client")]).toEqual(["node_modules/deep", "node_modules/@redis/client"]);
    expect(existsSync(join(to, "node_modules/ai"))).toBe(false);
    expect(await copyStorePackages(from, to)).toBe(false);
  });

  it("VER-8 a checkout's own packages are copied too", async () => {
    const { from, to, copied } = project({
      "node_modules/agent-conduct": [],
      "node_modules/agent-conduct/node_modules/pg": ["shared"],
      "node_modules/agent-conduct/node_modules/shared": [],
    });
    expect(await copyStorePackages(from, to)).toBe(true);
    expect(copied("pg")).toMatch(/agent-conduct\/node_modules\/pg$/);
    expect(copied("shared")).toMatch(/agent-conduct\/node_modules\/shared$/);
  });

  it("VER-9 without such packages nothing is copied", async () => {
    const { from, to } = project({ "node_modules/agent-conduct": [] });
    expect(await copyStorePackages(from, to)).toBe(false);
    expect(existsSync(to)).toBe(false);
  });
});
