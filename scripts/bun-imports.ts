import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** Files of `dist` that OpenCode's Bun loads. */
const BUN_ENTRIES = ["opencode-plugin.mjs", "opencode.mjs"];
/** Modules of Node that Bun does not have: the plugin would not load, and nothing would be checked. */
const MISSING = "sqlite|sea|quic|trace_events";

/**
 * The files that are loaded together with an entry and need such a module, each with the way to it. Both forms count:
 * `import`, and `getBuiltinModule` at the top of a file, into which the build turns it.
 */
export function missingInBun(dist: string, entries: readonly string[] = BUN_ENTRIES): readonly string[] {
  const ways = new Map(entries.map((entry) => [join(dist, entry), [entry]]));
  const faults: string[] = [];
  for (const [file, way] of ways) {
    const code = readFileSync(file, "utf8");
    for (const [, name] of code.matchAll(new RegExp(`^(?:import|export|const|let|var)\\b.*"node:(${MISSING})"`, "gm")))
      faults.push(`node:${name} in ${way.join(" → ")}`);
    for (const [, from = ""] of code.matchAll(/^(?:import|export)\b(?:[^"\n]*\bfrom)? ?"(\.[^"]+)"/gm)) {
      const next = join(dirname(file), from);
      if (!ways.has(next)) ways.set(next, [...way, relative(dist, next)]);
    }
  }
  return faults;
}
