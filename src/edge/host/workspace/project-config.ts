import { createHash } from "node:crypto";
import { basename, join, resolve } from "node:path";
import { realFolder } from "../trust/real-folder.ts";

/** The configuration that belongs to a folder but lies in the home, where a cloned repository cannot write it. */
export function projectConfigPath(home: string, folder: string): string {
  const real = realFolder(resolve(folder));
  const key = createHash("sha256").update(real).digest("hex").slice(0, 12);
  return join(home, "projects", `${basename(real)}-${key}`, "conduct.yaml");
}
