import { existsSync, readFileSync, realpathSync } from "node:fs";
import { cp } from "node:fs/promises";
import { dirname, join, sep } from "node:path";

/** What the stores of `CONDUCT_STORE`, `CONDUCT_REDIS_URL` and `CONDUCT_TYPESENSE_URL` need; people install it themselves. */
const STORE_PACKAGES = ["pg", "@redis/client", "typesense"];

/**
 * Copies the packages of stores that `from` finds, with their dependencies, into `to/node_modules`. They are copied
 * rather than linked, because an agent may write to the project that has them. Returns whether anything was copied.
 */
export async function copyStorePackages(from: string, to: string): Promise<boolean> {
  const missing = STORE_PACKAGES.filter((name) => !existsSync(join(to, "node_modules", name, "package.json")));
  const done = new Set<string>();
  for (const name of missing) await copyPackage(name, { from, inside: undefined }, join(to, "node_modules"), done);
  return done.size > 0;
}

/** `inside`: the package that needs this one and is copied already. */
type Wanted = { readonly from: string; readonly inside: string | undefined };

async function copyPackage(name: string, { from, inside }: Wanted, to: string, done: Set<string>): Promise<void> {
  const place = placeOf(name, from);
  if (place === undefined || done.has(name)) return;
  // A nested package came with the one that contains it.
  if (inside === undefined || !place.startsWith(`${inside}${sep}`)) {
    done.add(name);
    await cp(place, join(to, name), { recursive: true, dereference: true });
  }
  const { dependencies = {} } = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
  for (const next of Object.keys(dependencies)) await copyPackage(next, { from: place, inside: place }, to, done);
}

/** The folder that Node takes the package from. */
function placeOf(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const place = join(folder, "node_modules", name);
    if (existsSync(join(place, "package.json"))) return realpathSync(place);
    if (dirname(folder) === folder) return undefined;
  }
}
