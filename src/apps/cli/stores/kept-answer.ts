import { isSettled, stampOf } from "../../../edge/host/workspace/file-stamp.ts";
import { replaceFile } from "../../../edge/host/workspace/own-files.ts";

const { readFileSync, statSync } = process.getBuiltinModule("node:fs");

type Kept<T> = { readonly key: string; readonly value: T; readonly stamps: readonly (readonly [string, string])[] };

/** Folders in which people work at a time. */
const MOST = 8;

/**
 * Returns the value that was made for this key from the same files, or makes it anew. It is kept in `folder`, beside
 * Node's compiled code: a lost cache costs time and nothing else. A file that changed a moment ago is not relied on.
 */
export async function keptAnswer<T>(
  { folder, name, key }: { readonly folder: string | undefined; readonly name: string; readonly key: string },
  make: () => Promise<{ readonly value: T; readonly files?: readonly string[] }>,
): Promise<T> {
  if (folder === undefined) return (await make()).value;
  const file = `${folder}/${name}.json`;
  const all = read<T>(file);
  const kept = all.find((one) => one.key === key);
  if (kept?.stamps.every(([path, stamp]) => stampNow(path) === stamp)) return kept.value;
  const before = Date.now();
  const { value, files } = await make();
  const stamps = (files ?? []).map((path) => [path, stampNow(path, before)] as const);
  if (files !== undefined && stamps.every(([, stamp]) => stamp !== "recent")) {
    const others = all.filter((one) => one.key !== key).slice(0, MOST - 1);
    write(file, [{ key, value, stamps }, ...others]);
  }
  return value;
}

function stampNow(path: string, settledAt?: number): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return "absent";
  return settledAt === undefined || isSettled(found, settledAt) ? stampOf(found) : "recent";
}

function read<T>(file: string): readonly Kept<T>[] {
  try {
    // Only this program writes the file.
    return JSON.parse(readFileSync(file, "utf8")) as Kept<T>[];
  } catch {
    return [];
  }
}

function write(file: string, all: readonly Kept<unknown>[]): void {
  try {
    replaceFile(file, JSON.stringify(all));
  } catch {
    // An installation of another account: every command makes the answer anew.
  }
}
