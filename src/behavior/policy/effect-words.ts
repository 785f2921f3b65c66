import { cutGraphemes, neutraliseTags } from "../../base/kernel/text.ts";
import type { CallEffect } from "../../base/words/call.ts";

/** Effects that a person should know about, as the end of "It …". Others are left out. */
const WORDS: Readonly<Record<string, string>> = {
  "git.discard": "discards uncommitted changes",
  "git.commit": "commits",
  "git.push": "pushes to a remote",
  "git.rewrite": "rewrites history",
  "git.rebase": "rebases commits",
  "git.prune": "prunes old commits",
  "git.branch.delete": "deletes a branch",
  "git.branch.reset": "moves a branch to another commit",
  "git.tag.delete": "deletes a tag",
  "git.config": "changes git's settings",
  "git.remote": "changes a remote",
  "git.hooks": "changes git's hooks",
  "files.delete": "deletes files",
  "files.move": "moves files",
  "files.write": "writes files",
  "files.patch": "applies a patch",
  "files.format": "rewrites files",
  "files.extract": "unpacks an archive",
  "files.permissions": "changes permissions",
  "packages.install": "installs packages",
  "packages.remove": "removes packages",
  "packages.publish": "publishes a package",
  "packages.unpublish": "removes a published package",
  "packages.manifest": "changes the project's manifest",
  "network.run": "runs code from the network",
  "network.unverified": "switches off a check of certificates or signatures",
  "network.send": "sends data to another server",
  "network.shell": "opens a shell on another machine",
  "github.write": "writes to the server of the repository",
  "github.delete": "deletes on the server of the repository",
  "github.merge": "merges on the server of the repository",
  "cloud.change": "changes cloud resources",
  "cloud.delete": "deletes cloud resources",
  "containers.push": "publishes a container image",
  "containers.delete": "deletes containers or volumes",
  "database.migrate": "migrates a database",
  "database.drop": "deletes a database or a table",
  "database.change": "changes rows of a database",
  "disk.write": "overwrites a disk",
  "system.power": "stops the machine",
  "system.schedule": "schedules commands",
  "system.accounts": "changes accounts",
  "processes.kill": "ends processes",
  "deploys.run": "deploys",
};

const MAX_EFFECTS = 6;
const MAX_PATHS = 4;
const MAX_PATH = 80;

/** One line for a person: `It deletes files (src, test) and pushes to a remote.` Paths are shown from `root`. */
export function effectsText(effects: readonly CallEffect[], root?: string, subject = "It"): string | undefined {
  const from = root === undefined ? undefined : `${root.replace(/\/+$/, "")}/`;
  const found = new Map<string, Set<string>>();
  for (const { name, args } of effects) {
    const words = WORDS[name];
    // `git reset --hard HEAD` leaves the branch where it is.
    const stays = args.reset === true && /^(?:HEAD|@)?$/.test(String(args.to ?? ""));
    if (words === undefined || stays) continue;
    const paths = found.get(words) ?? new Set<string>();
    found.set(words, paths);
    if (Array.isArray(args.paths))
      for (const path of args.paths.map(String))
        if (path !== "") paths.add(from !== undefined && path.startsWith(from) ? path.slice(from.length) : path);
  }
  const shown = [...found].slice(0, MAX_EFFECTS).map(([words, paths]) => `${words}${pathsText([...paths])}`);
  const [only, ...more] = shown;
  if (only === undefined) return undefined;
  const last = more.at(-1);
  return `${subject} ${last === undefined ? only : `${[only, ...more.slice(0, -1)].join(", ")} and ${last}`}.`;
}

function pathsText(paths: readonly string[]): string {
  if (paths.length === 0) return "";
  const shown = paths
    .slice(0, MAX_PATHS)
    .map((path) => neutraliseTags(cutGraphemes(path.replace(/\s+/g, " "), MAX_PATH)));
  const rest = paths.length - shown.length;
  return ` (${[...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(", ")})`;
}
