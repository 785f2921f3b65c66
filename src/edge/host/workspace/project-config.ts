import { basename, join, resolve } from "node:path";
import { sha256 } from "../../../base/kernel/canonical-json.ts";
import { realFolder } from "../trust/real-folder.ts";

/** The configuration that belongs to a folder but lies in the home, where a cloned repository cannot write it. */
export function projectConfigPath(home: string, folder: string): string {
  const real = realFolder(resolve(folder));
  return join(home, "projects", `${basename(real)}-${sha256(real).slice(0, 12)}`, "conduct.yaml");
}
