import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, it } from "vitest";

const SRC = join(import.meta.dirname, "../../..");

/** All that is loaded with a file; imports of types are not. */
function loadedWith(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const statements = readFileSync(file, "utf8").matchAll(/^(?:import|export) (?!type )[^;]*?from "([^"]+)";/gms);
  for (const [, name = ""] of statements) {
    if (!name.startsWith(".")) seen.add(name);
    else if (existsSync(join(dirname(file), name))) loadedWith(join(dirname(file), name), seen);
  }
  return seen;
}

it("PE-17 the extension loads little into Pi: no packages, and none of Conduct's engine, stores and tokenizer", () => {
  const loaded = [...loadedWith(join(import.meta.dirname, "extension.ts"))];
  const files = loaded.filter((name) => name.startsWith("/")).map((name) => relative(SRC, name));
  const modules = loaded.filter((name) => !name.startsWith("/"));
  expect(modules.filter((name) => !name.startsWith("node:"))).toEqual([]);
  expect(files.filter((name) => /^(engine|edge\/stores|testing|apps)\//.test(name))).toEqual([]);
  expect(files).toContain("edge/host/daemon/remote-session.ts");
  expect(files.length).toBeLessThan(45);
});
