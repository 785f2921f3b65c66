import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

const PROGRAM = join(import.meta.dirname, "../../conduct.mjs");

/** The real program on a machine without these packages. It is ended when it has said `until`. */
async function gatewayWithout(name: string, env: NodeJS.ProcessEnv, until: RegExp, config?: string) {
  const root = mkdtempSync(join(tmpdir(), "conduct-gw-packages-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
  mkdirSync(join(root, "home"));
  if (config !== undefined) writeFileSync(join(root, "home", "conduct.yaml"), config);
  const hook = join(root, "without.mjs");
  writeFileSync(
    hook,
    `import { registerHooks } from "node:module";
registerHooks({ resolve(id, context, next) {
  if (!id.startsWith(${JSON.stringify(name)})) return next(id, context);
  throw Object.assign(new Error(\`Cannot find package '\${id}'\`), { code: "ERR_MODULE_NOT_FOUND" });
} });`,
  );
  const child = spawn(process.execPath, ["--import", hook, PROGRAM, "gateway", "--port", "0"], {
    env: {
      PATH: process.env.PATH,
      HOME: root,
      CONDUCT_HOME: join(root, "home"),
      CONDUCT_KEYS: join(root, "keys"),
      ...env,
    },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text: string) => {
      const wasReady = until.test(said);
      said += text;
      if (!wasReady && until.test(said)) child.kill("SIGTERM");
    });
  }
  const code = await new Promise((resolve) => child.once("close", resolve));
  return { code, said };
}

it.each([
  { name: "@redis/client", variable: "CONDUCT_REDIS_URL", url: "redis://127.0.0.1:1" },
  { name: "typesense", variable: "CONDUCT_TYPESENSE_URL", url: "http://127.0.0.1:1" },
])("GWP-1 without $name, which $variable needs, the gateway does not start and says what to install", async (given) => {
  const { name, variable, url } = given;
  const { code, said } = await gatewayWithout(name, { [variable]: url }, /login#code/);
  expect(code).toBe(1);
  expect(said).toContain(`${variable} needs the package ${name}`);
  expect(said).toMatch(/try: npm i/);
});

it("GWP-2 a real model without pi-ai is reported at the start, and SIGTERM ends without a complaint", async () => {
  const config = "agents: { a: { model: anthropic/claude-sonnet-4-5 } }\n";
  const env = { ANTHROPIC_API_KEY: "sk-test" };
  const { code, said } = await gatewayWithout("@earendil-works/pi-ai/providers/all", env, /login#code/, config);
  expect(said).toContain("needs the package @earendil-works/pi-ai");
  expect(said).not.toContain("finalized");
  expect(code).toBe(0);
});
