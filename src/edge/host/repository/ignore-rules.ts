/** One line of a .gitignore, relative to the folder of that file. */
type IgnoreRule = { readonly pattern: RegExp; readonly ignored: boolean; readonly foldersOnly: boolean };

/** The lines of a .gitignore in `folder` (`""` for the top, else `src/`). The last match decides. */
export type IgnoreFile = { readonly folder: string; readonly rules: readonly IgnoreRule[] };

export function parseIgnoreFile(text: string, folder: string): IgnoreFile {
  return { folder, rules: text.split(/\r?\n/).flatMap(ruleOf) };
}

/** Is the path ignored by one of the files, of which the deepest comes last? */
export function isIgnored(path: string, isFolder: boolean, files: readonly IgnoreFile[]): boolean {
  for (const { folder, rules } of files.toReversed()) {
    if (!path.startsWith(folder)) continue;
    const inside = path.slice(folder.length);
    const last = rules.findLast(({ pattern, foldersOnly }) => (isFolder || !foldersOnly) && pattern.test(inside));
    if (last !== undefined) return last.ignored;
  }
  return false;
}

function ruleOf(line: string): readonly IgnoreRule[] {
  const written = line.replace(/(?<!\\)\s+$/, "");
  if (written === "" || written.startsWith("#")) return [];
  const ignored = !written.startsWith("!");
  const body = ignored ? written : written.slice(1);
  const foldersOnly = body.endsWith("/");
  const bare = body.replace(/\/$/, "");
  const anchored = bare.replace(/^\*\*\//, "").includes("/");
  const source = globSource(bare.replace(/^\//, ""));
  try {
    const pattern = new RegExp(`^${anchored && !bare.startsWith("**/") ? "" : "(?:.*/)?"}${source}$`, "s");
    return [{ pattern, ignored, foldersOnly }];
  } catch {
    return [];
  }
}

function globSource(glob: string): string {
  let source = "";
  for (let at = 0; at < glob.length; at++) {
    const rest = glob.slice(at);
    const [all, inside] = /^\[(!?\]?[^\]]*)\]/.exec(rest) ?? [];
    if (rest.startsWith("**/")) {
      source += "(?:.*/)?";
      at += 2;
    } else if (rest.startsWith("**")) {
      source += ".*";
      at += 1;
    } else if (all !== undefined && inside !== undefined) {
      source += `[${inside.replace(/^!/, "^").replaceAll("\\", "\\\\")}]`;
      at += all.length - 1;
    } else if (rest.startsWith("*")) source += "[^/]*";
    else if (rest.startsWith("?")) source += "[^/]";
    else if (rest.startsWith("\\") && rest.length > 1) {
      source += RegExp.escape(rest.charAt(1));
      at += 1;
    } else source += RegExp.escape(rest.charAt(0));
  }
  return source;
}
