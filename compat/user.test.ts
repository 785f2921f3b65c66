import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runStop } from "../src/apps/cli/commands/daemon/daemon.ts";
import { readRuntimes } from "../src/edge/host/opening/runtime-settings.ts";
import { type Script, startModelServer } from "../src/testing/test/model-server/index.ts";
import { CLAUDE, runClaude } from "./claude-code/cli.ts";
import { newPlace as claudePlace } from "./claude-code/place.ts";
import { CODEX } from "./codex/codex-run.ts";
import { bindRuntime } from "./exec-gate.ts";
import { modelName, OPENCODE, opencodeEnv, PLUGIN_FILE } from "./opencode/place.ts";
import { runOpencode } from "./opencode/run.ts";
import { openPlace } from "./opencode/server.ts";
import { piEnv, newPlace as piPlace, writePiHome } from "./pi-extension/place.ts";
import { runPiOnce } from "./pi-extension/rpc.ts";

const ZONE = "Asia/Tokyo";
const WISH = "Always answer in French.";
const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
  vi.unstubAllEnvs();
});

function stub(variables: NodeJS.ProcessEnv, program: string): void {
  for (const [name, value] of Object.entries({ CONDUCT_KEYS: "", ...variables, TZ: ZONE })) vi.stubEnv(name, value);
  vi.stubEnv("PATH", `${dirname(program)}:${process.env.PATH}`);
}

/** A model that stores the wish with Conduct's tool when it hears it, and only talks otherwise. */
const script =
  (tool: string, namespace?: string): Script =>
  ({ lastUserText, results }) =>
    lastUserText.includes("French") && results.length === 0
      ? { calls: [{ id: "wish", name: tool, ...(namespace && { namespace }), input: { add: [WISH] } }] }
      : { text: "Oui." };

type Requests = readonly { readonly raw: string }[];

/** Says the wish in one session, then something else in a new one, and looks at the model requests of that. */
async function expectUser(requests: () => Requests, say: (message: string) => Promise<void>): Promise<void> {
  await say("always answer in French please");
  const before = requests().length;
  await say("good morning");
  const sent = requests()
    .slice(before)
    .map(({ raw }) => raw)
    .join("\n");
  expect(sent).toContain(WISH);
  expect(sent).toContain(`(${ZONE})`);
}

describe("after conduct init, instructions and the machine's time zone reach new sessions", () => {
  it("UIR-1 claude-code", async () => {
    const place = claudePlace();
    endings.push(() => place.remove());
    const variables = { HOME: place.home, CLAUDE_CONFIG_DIR: place.config, CONDUCT_HOME: place.conduct };
    stub({ ...variables, XDG_CONFIG_HOME: "" }, CLAUDE);
    endings.push(() => runStop(place.conduct, undefined));
    await bindRuntime("claude-code", place.workspace);
    expect((await readRuntimes(place.conduct))["claude-code"]?.user).toMatch(/\S/);
    const tool = "mcp__conduct__update_instructions";
    const server = await startModelServer({ script: script(tool) });
    endings.push(() => server.close());
    await expectUser(
      () => server.requests,
      async (message) => {
        const end = await runClaude(place, server.url, ["-p", message, "--allowedTools", tool]);
        expect(end.exitCode, end.stderr).toBe(0);
      },
    );
  });

  it("UIR-2 codex", async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "conduct-codex-user-")));
    endings.push(() => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
    const [codex, work, home] = ["codex", "work", "conduct"].map((name) => join(root, name)) as [
      string,
      string,
      string,
    ];
    for (const folder of [codex, work]) mkdirSync(folder);
    const variables = { HOME: root, CODEX_HOME: codex, CONDUCT_HOME: home, SCRIPTED_KEY: "none", SHELL: "/bin/bash" };
    stub({ ...variables, XDG_CONFIG_HOME: "" }, CODEX);
    endings.push(() => runStop(home, undefined));
    const server = await startModelServer({ script: script("update_instructions", "mcp__conduct") });
    endings.push(() => server.close());
    writeFileSync(join(codex, "config.toml"), codexConfig(server.openaiUrl));
    await bindRuntime("codex", work, { trust: true });
    await expectUser(
      () => server.requests,
      async (message) => {
        const words = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-C", work];
        const child = spawn(CODEX, [...words, message], { cwd: work, stdio: ["ignore", "ignore", "pipe"] });
        const closed = new Promise<number | null>((resolve, reject) => child.on("close", resolve).on("error", reject));
        const [stderr, status] = await Promise.all([text(child.stderr), closed]);
        expect(status, stderr).toBe(0);
      },
    );
  });

  it("UIR-3 opencode", async () => {
    const { place, models } = await openPlace({ files: { [PLUGIN_FILE]: undefined } }, script("update_instructions"));
    endings.push(
      () => place.remove(),
      () => models.close(),
    );
    const [home, workspace] = [join(place.root, "conduct"), join(place.root, "workspace")];
    mkdirSync(workspace);
    const env = { ...opencodeEnv(place), CONDUCT_HOME: home, CONDUCT_SOCKET: "", CONDUCT_KEYS: "", TZ: ZONE };
    stub(env, OPENCODE);
    endings.push(() => runStop(home, undefined));
    await bindRuntime("opencode", workspace);
    await expectUser(
      () => models.requests,
      async (message) => {
        const ran = await runOpencode({ place, workspace, message, model: modelName(200_000), env });
        expect(ran.exitCode, ran.stderr).toBe(0);
      },
    );
  });

  it("UIR-4 pi", async () => {
    const place = { ...piPlace(), socket: "" };
    endings.push(() => place.remove());
    const server = await startModelServer({ script: script("update_instructions") });
    endings.push(() => server.close());
    writePiHome(place, { modelUrl: server.url, api: "anthropic-messages", window: 200_000, extension: null });
    stub(piEnv(place), process.execPath);
    endings.push(() => runStop(place.home, undefined));
    await bindRuntime("pi", place.workspace);
    await expectUser(
      () => server.requests,
      async (message) => {
        const ran = await runPiOnce(place, ["-p", message]);
        expect(ran.exitCode, ran.stderr).toBe(0);
      },
    );
  });
});

const codexConfig = (url: string) => `model = "gpt-5.5"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "${url}"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0

[features]
plugins = false
apps = false
`;
