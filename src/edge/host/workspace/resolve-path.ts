import { readlink, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";

const MAX_LINKS = 40;

/**
 * Resolves every symlink in an absolute path. A part that does not exist is appended to the real path of the part that
 * does. Rejects on a symlink loop or an unreadable folder.
 */
export async function resolvePath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (isMissing(error)) return walk(path);
    throw error;
  }
}

/** Does the error mean that the path does not exist, rather than that it cannot be read? */
export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

/** Resolves one symlink at a time: `realpath` fails for missing paths, but a dangling symlink still has a target. */
async function walk(path: string): Promise<string> {
  const rest = path.split("/").reverse();
  let at = "/";
  let links = 0;
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      at = dirname(at);
      continue;
    }
    const next = join(at, part);
    const target = await linkTarget(next);
    if (target === undefined) {
      at = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) throw new Error(`too many symbolic links in ${path}`);
    if (target.startsWith("/")) at = "/";
    rest.push(...target.split("/").reverse());
  }
  return at;
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (error) {
    // EINVAL: the path exists and is no symlink.
    if (isMissing(error) || codeOf(error) === "EINVAL") return undefined;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
