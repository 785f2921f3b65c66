import { readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { realFolder } from "../trust/real-folder.ts";
import { projectConfigPath } from "./project-config.ts";

export const CONFIG_NAME = "conduct.yaml";

/** Where to look: `flag` is the value of `--config`. The gateway serves no folder, so it has none. */
export type ConfigSearch = { readonly home: string; readonly folder?: string; readonly flag?: string | undefined };

/** The file that defines the agents; without one, they are built in. */
export type ConfigBase = { readonly from: "flag" | "project" | "home"; readonly file: string };

export type FoundConfig = {
  readonly base?: ConfigBase;
  /** Every conduct.yaml in the folder and its parents, nearest first. The first trusted one adds to the base. */
  readonly added: readonly string[];
  /** Every path that matters. The search has the same result until one of them appears, disappears or changes. */
  readonly looked: readonly string[];
};

/**
 * The only search for a configuration, used by the daemon, the gateway and every command: the flag, which is used
 * alone; else the folder's file in the home, then `CONDUCT_HOME/conduct.yaml`. Files in the folder and its parents come
 * from a repository: they need trust, and can only add.
 */
export function findConfig({ home, folder, flag }: ConfigSearch): FoundConfig {
  if (flag !== undefined) {
    const file = resolve(folder ?? "", flag);
    return { base: { from: "flag", file }, added: [], looked: [file] };
  }
  const common = join(home, CONFIG_NAME);
  const folders = folder === undefined ? [] : withParents(realFolder(resolve(folder)));
  const projects = join(home, "projects");
  const own = isThere(projects) ? folders.map((one) => projectConfigPath(home, one)) : [];
  const beside = folders
    .map((one) => join(one, CONFIG_NAME))
    .filter((file) => file !== join(realFolder(home), CONFIG_NAME));
  const project = own.find(isThere);
  const base: ConfigBase | undefined =
    project !== undefined
      ? { from: "project", file: project }
      : isThere(common)
        ? { from: "home", file: common }
        : undefined;
  return { base, added: beside.filter(isThere), looked: [projects, ...own, common, ...beside] };
}

/** Every file in the home that can define agents: the common one and those of projects. */
export function operatorConfigs(home: string): readonly string[] {
  const projects = join(home, "projects");
  let names: readonly string[] = [];
  try {
    // The daemon looks before every answer, and mostly no project has a file of its own: a failed read is slow.
    if (isThere(projects)) names = readdirSync(projects);
  } catch {
    // Unreadable.
  }
  return [join(home, CONFIG_NAME), ...names.map((name) => join(projects, name, CONFIG_NAME))];
}

function withParents(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...withParents(above)];
}

/** A file that cannot be examined counts: reading it then says why. */
function isThere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}
