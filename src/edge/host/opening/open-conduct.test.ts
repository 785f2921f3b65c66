import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { CallInput } from "../../../base/words/call.ts";
import { ReadBeforeWritePolicy } from "../../../behavior/policy/builtin/read-before-write-policy.ts";
import { SequentialDependencyPolicy } from "../../../behavior/policy/builtin/sequential-dependency-policy.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import { openConductFromEnv } from "./open-conduct.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "conduct-gate-")));
const workspace = join(base, "repo");
for (const folder of ["repo/src", "repo/conduct", "repo/.claude", "real/.conduct"]) {
  mkdirSync(join(base, folder), { recursive: true });
}
for (const file of ["repo/a.txt", "repo/src/b.ts", "repo/package.json", "real/.conduct/c.json", "outside.txt"]) {
  writeFileSync(join(base, file), "old\n");
}
symlinkSync(join(base, "real"), join(base, "link"));
symlinkSync(base, join(workspace, "out"));
afterAll(() => rmSync(base, { recursive: true }));

const agent = defineAgent({
  name: "coder",
  actions: { publish: { tool: "shell", command: "npm publish *" }, test: { tool: "shell", command: "npm test *" } },
  policies: [new ReadBeforeWritePolicy(), new SequentialDependencyPolicy({ dependencies: { publish: ["test"] } })],
});

async function decide(call: Omit<CallInput, "id">, options: { elevated?: boolean; home?: string } = {}) {
  const { elevated = false, home = join(base, "home") } = options;
  const session = openConductFromEnv({ agents: [agent], workspace, home, journal: false }).session({
    agent: "coder",
    modes: { elevated },
  });
  const decision = await session.onCall({ id: "c", ...call });
  return decision.kind === "deny" ? decision.code : decision.kind;
}
const shell = (command: string) => ({ tool: "shell", args: { command } });

describe("what coding agents really run stays allowed", () => {
  it.each([
    "npm test",
    "npm run build 2>&1 | tail -50",
    "npm ci --no-audit > /dev/null 2>&1",
    "npm install --save-dev vitest",
    "npm install agent-conduct",
    "npx tsc --noEmit",
    "npx vitest run src/behavior -t 'reads /etc/hosts'",
    "pnpm -r build && pnpm -r test",
    "CI=1 NODE_ENV=test npm test -- --run",
    "git status --short",
    "git diff HEAD~2..HEAD -- src",
    "git log --oneline main..dev | head -20",
    "git add -A && git commit -m 'fix: npm publish docs, see -> a.txt'",
    "git commit -m \"$(cat <<'EOF'\nAdd > a.txt\n\nIt's done; npm publish later\nEOF\n)\"",
    "git checkout -b feature/x origin/main",
    "git show HEAD:src/b.ts | sed -n '1,40p'",
    "git -C /usr/share status",
    "git stash pop stash@{0}",
    "ls -la src",
    "ls /usr/lib",
    "find . -name '*.ts' -not -path './node_modules/*' | xargs wc -l",
    "find src -type f -exec grep -l foo {} +",
    "grep -rn 'conduct' src",
    "grep -r conduct conduct",
    "rg -n \"from '../lib'\" src",
    "cat package.json | jq '.scripts'",
    "cat src/b.ts",
    "sed -n '1,120p' src/b.ts",
    "sed -n '/^export/,/^}/p' src/b.ts",
    "awk -F/ '{print $NF}' package.json",
    "head -c 300 src/b.ts; echo; wc -l src/*.ts",
    "cd src && ls && cd .. && npm test",
    "(cd src && ls) && cat package.json",
    `cd ${workspace} && npm test`,
    "mkdir -p build/x && cp src/b.ts build/x/",
    "cp -r src build",
    "mv src/b.ts src/c.ts",
    "rm -rf build dist",
    "touch new.txt",
    "chmod +x scripts.sh",
    "echo hello > new.txt",
    "cat > src/new.ts <<'EOF'\nexport const x = 1; // it's -> a.txt > b\nEOF",
    "cat <<EOF > src/new.sh\n#!/bin/sh\ncurl \\\n  http://x\nEOF",
    "printf '%s\\n' a b c | tee new.txt",
    'for f in src/*.ts; do echo "$f"; done',
    "if [ -f a.txt ]; then echo yes; else echo no; fi",
    '[[ -n "$CI" && 1 < 2 ]] && echo ci',
    'while read -r line; do echo "$line"; done < package.json',
    "x=$((3 > 2)); echo $x",
    'export PATH="$HOME/.cargo/bin:$PATH" && cargo test',
    ". ~/.nvm/nvm.sh && nvm use 22",
    "/usr/bin/env node -e 'console.log(1)'",
    "node --test src/",
    "node conduct/index.js",
    "cd conduct && npm test",
    "python3 -m pytest -q tests/ -k 'a and not b'",
    "python3 - <<'EOF'\nprint('x > a.txt')\nEOF",
    "pip install -r requirements.txt",
    "go test ./...",
    "cargo build --release 2>/dev/null",
    "make -j8 all",
    "docker compose up -d",
    'docker run --rm -v "$PWD:/app" -w /app node:22 npm test',
    "curl -s http://localhost:3000/api/x?y=1 | jq .",
    "curl -sSf -o /dev/null -w '%{http_code}' https://example.test/../x",
    "gh api /repos/o/r/pulls --jq '.[].title'",
    "gh pr create --title 'x' --body 'npm publish'",
    "ps aux | grep node | awk '{print $2}'",
    "which node && node -v && cat /etc/os-release",
    "timeout 60 npm test",
    "time npm run build",
    "sleep 1; tail -f /dev/null & kill %1",
    "diff <(git show HEAD:a.txt) a.txt",
    "echo npm publish",
    "tr '/' '-' < a.txt",
    "cut -d / -f 2 a.txt",
    "df -h / && du -sh src",
    "npm --prefix conduct test",
    "env | sort",
    "date +%s; uname -a; id",
  ])("OC-1 a usual command of coding agents is allowed: %s", async (command) => {
    expect(await decide(shell(command))).toBe("allow");
  });
});

describe("what leaves the workspace is denied unless elevated", () => {
  it.each([
    "cat /etc/passwd | cat",
    "cat /etc/passwd; true",
    "cat < /etc/passwd",
    "grep x /etc/passwd",
    "cd / && ls",
    "cd / && echo x > tmp/zz",
    "bash -c 'echo x > /tmp/zz'",
    "echo x > $HOME/zz",
    "tee /tmp/zz",
    "mkdir /tmp/zz",
    "rm -rf ../real",
    "cat ../outside.txt",
    "cat out/outside.txt | cat",
    "cat src/../../outside.txt",
    "ls ~",
    "find / -name x",
    "xargs -a /etc/passwd echo",
    "curl file:///etc/passwd",
  ])("OC-2 a command that reaches outside the workspace is denied: %s", async (command) => {
    expect(await decide(shell(command))).toBe("outside-workspace");
  });
});

describe("Conduct's own things, elevated or not", () => {
  const real = join(base, "real/.conduct");
  const link = join(base, "link/.conduct");
  it.each([
    [real, "read_file", { path: `${link}/c.json` }],
    [link, "write_file", { path: `${link}/c.json` }],
    [link, "read_file", { path: `${real}/c.json` }],
    [link, "shell", { command: `cat ${real}/c.json` }],
    [real, "shell", { command: `cat ${link}/c.json | cat` }],
    [real, "shell", { command: `grep x ${base}/real/.//.conduct/c.json` }],
    [real, "shell", { command: `cd ${base}/real && cat .conduct/c.json` }],
    [real, "search", { path: real, pattern: "x" }],
    [real, "fs/write_file", { path: `${real}/c.json` }],
    [real, "notes/deep", { a: [{ b: `${base}/x/../real/.conduct` }] }],
    [real, "fetch", { url: `file://${real}/c.json` }],
    [real, "fetch", { url: `file://localhost${real.replace("conduct", "%63onduct")}/c.json` }],
  ])(
    "OC-3 an elevated agent cannot touch Conduct's files: with the home %s, %s %j is denied",
    async (home, tool, args) => {
      expect(await decide({ tool, args }, { home, elevated: true })).toBe("protected-path");
    },
  );

  it.each([
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as a shell writes it.
    "cat ${HOME}/.conduct/x",
    "cd && cat .conduct/x",
    "cat ~/.c*/x",
    "cat ~/.condu?t/x",
    "cat ~/{.conduct,x}/x",
    "cd .claude && echo {} > settings.json",
    "echo {} > .claude/./settings.json",
    `python3 -c "open('${homedir()}/.conduct/x')"`,
    "node src/apps/cli/conduct.mjs trust",
    "npx agent-conduct@latest trust",
    "sudo -u me conduct trust",
    "cat <(conduct trust)",
    "yarn conduct trust",
  ])("OC-4 an elevated agent cannot change trust or Conduct's home: %s is denied", async (command) => {
    expect(await decide(shell(command), { home: join(homedir(), ".conduct"), elevated: true })).toBe("protected-path");
  });

  it.each([
    ["search", { path: "conduct", pattern: "~/.conduct is the home" }],
    ["read_file", { path: "conduct/index.js" }],
    ["fetch", { url: "https://x.test/.claude/settings.json" }],
    ["task", { prompt: "look at .claude/settings.json\nand tell" }],
  ])("OC-5 a call that only mentions a protected name or path is allowed: %s %j", async (tool, args) => {
    expect(await decide({ tool, args }, { home: join(homedir(), ".conduct"), elevated: true })).toBe("allow");
  });
});

it.each([
  { path: "a.txt" },
  { path: ["a.txt"] },
  { filename: "a.txt" },
  { path: "new.txt", file_path: "a.txt" },
  { path: "" },
])("OC-6 write_file %j is denied, because it may overwrite a file that was not read", async (args) => {
  expect(await decide({ tool: "write_file", args })).toBe("not-read");
});
