import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startDaemon } from "../src/apps/daemon/daemon.ts";
import { httpWorld } from "../src/apps/gateway/test/test-http.ts";
import { parseConfig } from "../src/engine/agent/config/parse-config.ts";

/** The client for Python against a real gateway and a real daemon, with the system's own Python. */

const FOLDER = join(import.meta.dirname, "../clients/python");
const CONFIG = `
agents:
  shop:
    actions:
      check: { tool: check_stock }
      order: { tool: order }
      refund: { tool: refund }
    rules:
      - { id: stock-first, on: order, require: check }
      - { id: one-order, on: order, atMost: { count: 1 } }
      - { id: ask-refund, on: refund, effect: ask }
    completion: { evidence: [check] }
`;
const PYTHON = process.env.CONDUCT_PYTHON ?? "/usr/bin/python3";
const version = spawnSync(PYTHON, ["-c", "import sys; print(sys.version_info >= (3, 10))"], { encoding: "utf8" });
const hasPython = version.stdout?.trim() === "True";
if (!hasPython) console.warn(`${PYTHON} is not Python 3.10 or newer: the Python client is NOT tested`);

async function python(args: readonly string[], env: NodeJS.ProcessEnv, cwd = FOLDER) {
  const child = spawn(PYTHON, ["-B", ...args], { cwd, env: { PATH: process.env.PATH, PYTHONPATH: FOLDER, ...env } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const [code] = await once(child, "close");
  return { code, output };
}

async function servers() {
  const root = mkdtempSync(join(tmpdir(), "conduct-py-"));
  const home = join(root, "home");
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, "conduct.yaml"), CONFIG);
  const parsed = parseConfig(CONFIG, "conduct.yaml");
  if ("faults" in parsed) throw new Error(JSON.stringify(parsed.faults));
  const daemon = await startDaemon({ home });
  const world = await httpWorld({ agents: parsed.agents, approvalMs: 50 });
  const { secret } = await world.person("ann", "user");
  return {
    env: { CONDUCT_HOME: home, CONDUCT_TEST_URL: world.gateway.url, CONDUCT_TEST_TOKEN: secret },
    async close() {
      await world.close();
      await daemon.end("the test is over");
      rmSync(root, { recursive: true, force: true });
    },
  };
}

describe.skipIf(!hasPython)("the Python client", () => {
  it("PYC-1 decides, denies and fails closed against a real gateway and a real daemon", async () => {
    const running = await servers();
    try {
      const { code, output } = await python(["-W", "error::SyntaxWarning", "-m", "unittest", "-v"], running.env);
      expect(output).toContain("OK");
      expect(output).not.toContain("skipped");
      expect(code).toBe(0);
    } finally {
      await running.close();
    }
  });

  it("PYC-2 the example of a plain loop runs on the daemon: the order is denied, then made", async () => {
    const running = await servers();
    try {
      const { code, output } = await python([join(FOLDER, "examples/plain_loop.py")], running.env);
      expect(output).toContain("Denied by stock-first");
      expect(output).toContain("ordered 1 cup");
      expect(code).toBe(0);
    } finally {
      await running.close();
    }
  });

  it("PYC-3 needs only the standard library, and every example can be compiled", async () => {
    const listed = [
      "import ast, sys, pathlib",
      "for f in pathlib.Path('conduct_agent').glob('*.py'):",
      "  for n in ast.walk(ast.parse(f.read_text())):",
      "    names = [a.name for a in n.names] if isinstance(n, ast.Import) else [n.module] if isinstance(n, ast.ImportFrom) and n.level == 0 else []",
      "    for name in names:",
      "      assert name.split('.')[0] in sys.stdlib_module_names or name == '__future__', (f, name)",
      "for f in pathlib.Path('examples').glob('*.py'): compile(f.read_text(), str(f), 'exec')",
    ];
    const { code, output } = await python(["-c", listed.join("\n")], {});
    expect([code, output]).toEqual([0, ""]);
  });
});
