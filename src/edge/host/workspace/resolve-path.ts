import { readlink, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";

const MAX_LINKS = 40;

/**
 * Where an absolute path leads when every symlink in it is followed, also one whose end does not exist: that part is appended
 * to the real path of the part that does. Rejects when links lead in a circle or a folder on the way may not be read.
 */
export async function resolvePath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (isMissing(error)) return walk(path);
    throw error;
  }
}

/** Is the error about something that is not there, rather than about something that cannot be read? */
export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

/** Link by link, because `realpath` says nothing of a path that does not exist, and a dangling link still leads somewhere. */
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
    if (links > MAX_LINKS) throw new Error(`too many symbolic links on the way of ${path}`);
    if (target.startsWith("/")) at = "/";
    rest.push(...target.split("/").reverse());
  }
  return at;
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (error) {
    // EINVAL: it is there, and no link.
    if (isMissing(error) || codeOf(error) === "EINVAL") return undefined;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
