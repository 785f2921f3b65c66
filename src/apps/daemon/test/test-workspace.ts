import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { daemonPlace } from "../../../edge/host/daemon/daemon-place.ts";
import { readDaemonSettings } from "../../../edge/host/daemon/daemon-settings.ts";
import { shellCall, type useDaemons } from "./test-daemon.ts";

export type HookSaid = { readonly permissionDecision?: string; readonly permissionDecisionReason?: string };

/** A real git repository, and Claude Code's hooks around commands that really run in it. */
export function testWorkspace({ place }: Pick<ReturnType<typeof useDaemons>, "place">) {
  let calls = 0;

  /** Runs in the workspace without any hook, as another terminal would. */
  function run(command: string) {
    const env = { PATH: process.env.PATH, HOME: place.home, GIT_CONFIG_NOSYSTEM: "1" };
    return spawnSync("bash", ["-c", command], { cwd: place.workspace, env, encoding: "utf8" });
  }

  function write(path: string, text: string): void {
    const file = join(place.workspace, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  async function post(event: object): Promise<{ readonly hookSpecificOutput?: HookSaid }> {
    const { port, token } = readDaemonSettings(daemonPlace(place.home).settings) ?? {};
    const answer = await fetch(`http://127.0.0.1:${port}/hooks/claude-code`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "x-conduct-entrypoint": "cli" },
      body: JSON.stringify(event),
    });
    return (await answer.json()) as { readonly hookSpecificOutput?: HookSaid };
  }

  const event = (command: string, id: string, more: object = {}) => ({
    ...shellCall(place.workspace, command, id),
    session_id: "cc",
    ...more,
  });

  /** What the hook says about a command that does not run. */
  async function ask(command: string, more: object = {}): Promise<HookSaid> {
    calls += 1;
    return (await post(event(command, `c${calls}`, more))).hookSpecificOutput ?? {};
  }

  /** A command of the agent with its result. `really` runs in its place. */
  async function act(command: string, really = command): Promise<HookSaid> {
    calls += 1;
    const made = event(command, `c${calls}`);
    const { hookSpecificOutput: said = {} } = await post(made);
    if (said.permissionDecision === "deny") return said;
    const { status, stdout, stderr } = run(really);
    const response = { stdout, stderr, interrupted: false, isImage: false };
    await post(
      status === 0
        ? { ...made, hook_event_name: "PostToolUse", tool_response: response }
        : { ...made, hook_event_name: "PostToolUseFailure", error: `Exit code ${status}\n${stdout}${stderr}` },
    );
    await post({ ...made, hook_event_name: "PostToolBatch", tool_calls: [] });
    return said;
  }

  /** The file tool of the agent, which also creates the file. */
  async function writeFile(path: string, content: string): Promise<void> {
    calls += 1;
    const tool_input = { file_path: join(place.workspace, path), content };
    const made = event("", `c${calls}`, { tool_name: "Write", tool_input });
    await post(made);
    write(path, content);
    const tool_response = { type: "create", filePath: tool_input.file_path, content, structuredPatch: [] };
    await post({ ...made, hook_event_name: "PostToolUse", tool_response });
    await post({ ...made, hook_event_name: "PostToolBatch", tool_calls: [] });
  }

  return {
    run,
    post,
    writeFile,
    write,
    ask,
    act,
    /** A repository with one commit. */
    init(): void {
      write("package.json", JSON.stringify({ name: "shop", version: "1.0.0", scripts: { test: "node test.js" } }));
      write("src/price.js", "exports.price = 1;\nexports.tax = 2;\n");
      write("test.js", "require('./src/price.js');\n");
      write("README.md", "# Shop\n");
      write(".gitignore", "*.cache\nreports/\n/only-here.txt\n!keep.cache\n");
      const as = "-c user.name=ann -c user.email=ann@example.org";
      run(`git init -q -b main && git add -A && git ${as} commit -qm first && git branch other`);
      run(`git config user.name ann && git config user.email ann@example.org`);
    },
  };
}
