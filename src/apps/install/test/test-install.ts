import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { InstallableRuntime, InstallPlace, SettingsFile } from "../runtime.ts";

export function useHome() {
  const at = { root: "" };
  beforeEach(() => {
    at.root = realpathSync(mkdtempSync(join(tmpdir(), "conduct-install-")));
    mkdirSync(join(at.root, "work"));
  });
  afterEach(() => rmSync(at.root, { recursive: true, force: true }));
  return {
    at,
    place: (more: Partial<InstallPlace> = {}): InstallPlace => ({
      env: { HOME: at.root },
      home: join(at.root, ".conduct"),
      launcher: join(at.root, ".conduct", "bin", "conduct"),
      enforcement: "enforce",
      daemon: { port: 4871, token: "7f".repeat(32) },
      ...more,
    }),
    read: (path: string) => (existsSync(join(at.root, path)) ? readFileSync(join(at.root, path), "utf8") : undefined),
    write(path: string, text: string) {
      mkdirSync(dirname(join(at.root, path)), { recursive: true });
      writeFileSync(join(at.root, path), text);
    },
  };
}

export function filesOf(runtime: InstallableRuntime, place: InstallPlace): readonly SettingsFile[] {
  const files = runtime.files(place);
  if ("refused" in files) throw new Error(files.refused);
  return files;
}
