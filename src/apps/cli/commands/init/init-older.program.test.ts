import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gatePlace } from "../../../../edge/host/gate/gate-place.ts";
import { conductProgram } from "../../../../edge/host/node/package-files.ts";

/** As the version before the exec gate (commit 42251c8a) wrote them. */
const OLDER = {
  codex: {
    file: ".codex/config.toml",
    before: 'model = "x"\n\n[mcp_servers.y]\ncommand = "y"\n',
    after: (home: string) => `model = "x"

[mcp_servers.y]
command = "y"

[features] # conduct init codex
unified_exec_tty = false # conduct init codex

[mcp_servers.conduct] # conduct init codex
command = "${home}/bin/conduct" # conduct init codex
args = ["hook","codex-tools"] # conduct init codex
required = true # conduct init codex
startup_timeout_sec = 30 # conduct init codex
`,
    gate: "env" as const,
  },
  openclaw: {
    file: ".openclaw/openclaw.json",
    before: '{\n  // mine\n  "gateway": { "mode": "local" },\n}\n',
    after: (home: string) => `{
  // mine
  "gateway": { "mode": "local" },
  "plugins": {
    "load": {
      "paths": [
        "${home}/bin/openclaw"
      ]
    },
    "entries": {
      "conduct": {
        "enabled": true,
        "hooks": {
          "allowConversationAccess": true
        }
      }
    }
  },
}
`,
    gate: "bin" as const,
  },
};

let root: string;
let home: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "conduct-older-")));
  home = join(root, ".conduct");
  write(join(root, "bin/codex"), "#!/bin/sh\necho 0.166.0\n");
  write(join(root, "bin/openclaw"), "#!/bin/sh\necho 2026.9.6\n");
  write(join(home, "conduct.yaml"), "agents:\n  coding:\n    rules: []\n");
});
afterEach(() => {
  conduct("daemon", "stop");
  rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, text, { mode: 0o600 });
  if (text.startsWith("#!")) chmodSync(path, 0o755);
}

function conduct(...words: readonly string[]): string {
  const PATH = `${join(root, "bin")}:${dirname(process.execPath)}:/usr/bin:/bin`;
  const env = { PATH, HOME: root, CONDUCT_HOME: home, SHELL: "/bin/bash", NO_COLOR: "1" };
  const ran = spawnSync(process.execPath, [conductProgram(), ...words], { cwd: root, env, encoding: "utf8" });
  return `${ran.stdout}${ran.stderr}`.replace(/\s+/g, " ");
}

describe("conduct init after an older version", () => {
  it.each(Object.entries(OLDER))(
    "INO-1 doctor names the missing gate and the command, init adds it in place, undo restores the first file: %s",
    (runtime, { file, before, after, gate }) => {
      const path = join(root, file);
      const text = after(home);
      write(path, text);
      const backup = `before-1bf38d67-${basename(file)}`;
      write(join(home, "init", runtime, backup), before);
      const sha256 = createHash("sha256").update(text).digest("hex");
      const record = {
        runtime,
        at: new Date(0).toISOString(),
        by: "cli",
        files: [{ path, backup, mode: 0o600, sha256 }],
      };
      write(join(home, "init", runtime, "record.json"), JSON.stringify(record));
      const bound = { enforcement: "shadow", operator: false, since: new Date(0).toISOString() };
      write(join(home, "runtimes.json"), JSON.stringify({ [runtime]: bound }));

      const told = conduct("doctor", runtime);
      expect(told).toContain(`${basename(file)}: the exec gate is not on the PATH of its shell`);
      expect(told).toMatch(new RegExp(`the exec gate is not on the PATH of its shell do: \\S.*init ${runtime}`));
      conduct("init", runtime, "--yes");
      expect(readFileSync(path, "utf8")).toContain(gatePlace(home)[gate]);
      expect(conduct("doctor", runtime)).toContain("✓ programs");
      conduct("init", runtime, "--undo", "--yes");
      expect(readFileSync(path, "utf8")).toBe(before);
    },
    120_000,
  );
});
