import { dirname, join } from "node:path";
import { parseObject } from "../../src/base/kernel/json.ts";
import type { JsonObject } from "../../src/base/words/json.ts";
import { claudeCodeCapabilities } from "../../src/edge/adapters/capabilities.ts";
import { toolName } from "../../src/edge/adapters/shared/claude/tool-map.ts";
import { type KitOutcome, type KitRun, playKitScript, type RuntimeDriver } from "../../src/testing/kit/driver.ts";
import { startModelServer } from "../../src/testing/test/model-server/index.ts";
import { Machine } from "../shipped/machine.ts";
import { ALLOWED, CLAUDE, type CliEnd, resultOfRun, shownIn } from "./cli.ts";
import { kitRequest, nativeMessage } from "./script.ts";

/** `claude -p`, set up by `conduct init claude-code`, with the shipped daemon. */
export function claudeCodeDriver(): RuntimeDriver {
  return { name: "claude-code", capabilities: claudeCodeCapabilities, toolName, run: runShipped };
}

async function runShipped(run: KitRun): Promise<KitOutcome> {
  const machine = new Machine(run, (user) => ({
    PATH: `${dirname(CLAUDE)}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    SHELL: "/bin/bash",
    CLAUDE_CONFIG_DIR: join(user, ".claude"),
  }));
  const player = playKitScript(run.script);
  const server = await startModelServer({
    async script(request) {
      if (request.kind === "compaction") return { text: "<summary>What was said before.</summary>" };
      if (run.failing === "hang" && server.requests.length > 1) machine.wake();
      else if (run.failing !== undefined && server.requests.length === 1) await machine.fail(run.failing);
      return nativeMessage(player.next(kitRequest(request)) ?? { text: "script exhausted" }, machine.workspace);
    },
  });
  try {
    machine.write(join(machine.user, ".claude/.claude.json"), JSON.stringify({ mcpServers: serversOf(run) }));
    await run.before?.(1, machine.place);
    await machine.setUp("claude-code");
    machine.answerQuestions();
    const ends = await play(run, machine, server.url);
    const files = machine.files();
    return {
      requests: server.requests.filter(({ kind }) => kind === "turn" || kind === "subagent").map(kitRequest),
      events: machine.events(),
      shown: ends.flatMap(shownIn),
      unplayed: player.unplayed(),
      file: (path) => files.get(path),
    };
  } finally {
    await machine.close();
    await server.close();
  }
}

/** Every message after the first is a process of its own that resumes the conversation. */
async function play(run: KitRun, machine: Machine, url: string): Promise<readonly CliEnd[]> {
  const ends: CliEnd[] = [];
  const env = {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "scripted",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
  const servers = Object.keys(run.mcpServers ?? {}).map((name) => `mcp__${name}`);
  const usual = ["--allowedTools", [ALLOWED, ...servers].join(","), "--output-format", "stream-json", "--verbose"];
  const say = async (text: string) => {
    const [first] = ends;
    const resume = first === undefined ? [] : ["-r", String(resultOfRun(first).session_id)];
    const { exitCode, stdout, stderr } = await machine.spawn(CLAUDE, ["-p", text, ...resume, ...usual], { env });
    const messages = stdout.split("\n").flatMap((line): readonly JsonObject[] => {
      const message = parseObject(line);
      return message === undefined ? [] : [message];
    });
    ends.push({ exitCode, messages, stderr });
  };
  for (const [at, message] of [run.message, ...(run.further ?? [])].entries()) {
    if (run.steps?.[at + 1] === "compact") await say("/compact");
    await machine.before(at + 1);
    await say(message);
  }
  return ends;
}

function serversOf({ mcpServers = {} }: KitRun) {
  const entries = Object.entries(mcpServers).map(([name, { command, args }]) => [
    name,
    { type: "stdio", command, args, alwaysLoad: true },
  ]);
  return Object.fromEntries(entries);
}
