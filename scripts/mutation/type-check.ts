import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMPOSITION_ROOTS } from "./composition-roots.ts";
import { copyTree, findMutants, keptFolder } from "./mutated-tree.ts";

const ROOT = join(import.meta.dirname, "../..");

/**
 * The mutants that the compiler rejects. They cannot reach a user, because `npm run check` fails. Each mutant is a file
 * of its own next to the original, so that one run of the compiler judges all of them.
 */
export function rejectedByTypes(): ReadonlySet<string> {
  const folder = keptFolder("types");
  const known = join(folder, "rejected.json");
  if (existsSync(known)) return new Set(JSON.parse(readFileSync(known, "utf8")) as readonly string[]);
  rmSync(folder, { recursive: true, force: true });
  copyTree(folder);
  const ids = new Map<string, string>();
  for (const [at, { id, file, edit }] of findMutants().entries()) {
    const text = readFileSync(join(ROOT, file), "utf8");
    const path = file.replace(/[^/]+$/, `mutant-${at}.ts`);
    writeFileSync(join(folder, path), text.slice(0, edit.start) + edit.text + text.slice(edit.end));
    ids.set(path, id);
  }
  for (const file of Object.keys(COMPOSITION_ROOTS)) {
    const path = file.replace(/([^/]+)$/, "unchanged-$1");
    cpSync(join(folder, file), join(folder, path));
    ids.set(path, path);
  }
  writeFileSync(
    join(folder, "tsconfig.mutants.json"),
    JSON.stringify({ extends: "./tsconfig.json", include: [], files: [...ids.keys()] }),
  );
  const tsc = join(ROOT, "node_modules/.bin/tsc");
  const { stdout } = spawnSync(tsc, ["-p", "tsconfig.mutants.json", "--noEmit", "--pretty", "false"], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  const files = stdout.split("\n").flatMap((line) => /^(\S+)\(\d+,\d+\): error TS/.exec(line)?.[1] ?? []);
  const rejected = new Set(files.flatMap((path) => ids.get(path) ?? []));
  for (const id of rejected)
    if (id.includes("/unchanged-")) throw new Error(`${id} does not compile as a copy:\n${stdout}`);
  writeFileSync(known, JSON.stringify([...rejected]));
  return rejected;
}
