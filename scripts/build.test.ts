import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { buildHook } from "./build.ts";

it("BLD-1 the hook's bundle loads nothing but Node and itself, and does what the source does", async () => {
  const dir = mkdtempSync(join(tmpdir(), "conduct-build-"));
  try {
    const dist = join(dir, "dist");
    const files = await buildHook(dist);
    expect(files.at(-1)).toBe("hook.mjs");
    for (const name of files.filter((file) => file.endsWith(".mjs"))) {
      const text = readFileSync(join(dist, name), "utf8");
      const imports = [...text.matchAll(/(?:from|import)\s*\(?["'`]([^"'`]+)["'`]/g)].map(([, from]) => from);
      for (const from of imports) expect(from).toMatch(/^(node:|\.\/)/);
    }
    expect(JSON.parse(readFileSync(join(dist, "hook.json"), "utf8"))).toContain("src/apps/cli/hook-codex.ts");
    const run = `import { hookCodex } from ${JSON.stringify(join(dist, "hook.mjs"))}; process.exitCode = await hookCodex();`;
    const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", run], {
      input: JSON.stringify({ hook_event_name: "PreToolUse" }),
      env: { ...process.env, CONDUCT_HOME: dir, CONDUCT_SOCKET: join(dir, "none.sock") },
      encoding: "utf8",
    });
    expect(stderr).toContain("there is no Conduct daemon");
    expect(status).toBe(2);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
