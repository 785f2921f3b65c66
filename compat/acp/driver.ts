import { join } from "node:path";
import type { NewSessionRequest, RequestPermissionRequest, SessionNotification } from "@agentclientprotocol/sdk";
import { asObject, asString } from "../../src/base/kernel/json.ts";
import { acpCapabilities } from "../../src/edge/adapters/capabilities.ts";
import {
  type KitAnswer,
  type KitOutcome,
  type KitRun,
  playKitScript,
  type RuntimeDriver,
} from "../../src/testing/kit/driver.ts";
import { startModelServer } from "../../src/testing/test/model-server/index.ts";
import { installed, modelName, OPENCODE, opencodeConfig, opencodeUser } from "../opencode/place.ts";
import { kitRequest, nativeScript, sideReply } from "../opencode/script.ts";
import { limited, Machine } from "../shipped/machine.ts";
import { type ProxyClient, pick, startClient } from "./proxy-client.ts";
import { acpRequest, withServerNames } from "./script.ts";

/** `opencode acp` in an editor of the SDK's, which starts it as `conduct init acp` says: behind `conduct acp`. */
export function acpDriver(): RuntimeDriver {
  return { name: "acp", capabilities: acpCapabilities, toolName: (tool) => `conduct_${tool}`, run: runShipped };
}

async function runShipped(run: KitRun): Promise<KitOutcome> {
  const { failing } = run;
  const machine = new Machine(run, opencodeUser);
  const player = playKitScript(run.script);
  const play = nativeScript(player, async () => {
    if (failing === "hang" && models.requests.length > 1) machine.wake();
    else if (failing !== undefined && models.requests.length === 1) await machine.fail(failing);
  });
  const models = await startModelServer({
    ignore: sideReply,
    script: async (request) => withServerNames(await play(acpRequest(request))),
  });
  try {
    // Asked for everything, OpenCode asks the editor.
    const more = { permission: { "*": "ask" }, model: `scripted/${modelName(run.window ?? 200_000)}` };
    const given = { "opencode.json": opencodeConfig(models.openaiUrl, more), "models.json": "{}", ...installed(".") };
    for (const [name, text] of Object.entries(given)) machine.write(join(machine.user, ".config/opencode", name), text);
    await run.before?.(1, machine.place);
    machine.configure();
    const { stdout } = await machine.conduct(
      "init",
      "acp",
      "--yes",
      "--json",
      ...(run.operator === true ? ["--operator"] : []),
    );
    const shown = await limited(playTurns(run, machine, entryOf(stdout)));
    const left = machine.files();
    return {
      requests: models.requests.map(acpRequest).map(kitRequest),
      events: machine.events(),
      shown,
      unplayed: player.unplayed(),
      file: (path) => left.get(path),
    };
  } finally {
    await machine.close();
    await models.close();
  }
}

type Entry = { readonly command: string; readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv };

/** What the editor starts, as `conduct init acp` prints it. The kit adds the user, and a time to wait for a person. */
function entryOf(stdout: string): Entry {
  const { command, args, env } = asObject(asObject(asObject(JSON.parse(stdout)).result).entry);
  const [first = "acp", ...rest] = args as readonly string[];
  return {
    command: asString(command),
    args: [first, "--user", "ann", "--wait", "3s", ...rest.map((word) => (word === "opencode" ? OPENCODE : word))],
    env: env as NodeJS.ProcessEnv,
  };
}

/** Returns what Conduct has shown to the person. */
async function playTurns(run: KitRun, machine: Machine, entry: Entry): Promise<readonly string[]> {
  const shown: string[] = [];
  const answers = [...(run.answers ?? [])];
  const start = async (): Promise<ProxyClient> => {
    const client = await startClient({
      command: [entry.command, ...entry.args],
      cwd: machine.workspace,
      env: { ...machine.env, ...entry.env },
      hear: (notification) => shown.push(...ownTexts(notification)),
      answer: (request) => answer(request, answers),
    });
    machine.onClose(() => client.close());
    return client;
  };
  let client = await start();
  const where: NewSessionRequest = {
    cwd: machine.workspace,
    mcpServers: Object.entries(run.mcpServers ?? {}).map(([name, { command, args }]) => ({
      name,
      command,
      args: [...args],
      env: [],
    })),
  };
  const { sessionId } = await client.agent.request("session/new", where);
  const say = (text: string) => client.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  for (const [index, text] of [run.message, ...(run.further ?? [])].entries()) {
    const step = run.steps?.[index + 1];
    if (step === "compact") await say("/compact");
    if (step === "resume") {
      await client.close();
      client = await start();
      await client.agent.request("session/load", { sessionId, ...where });
    }
    await machine.before(index + 1);
    await say(text);
  }
  await client.close();
  return shown;
}

function ownTexts({ update }: SessionNotification): readonly string[] {
  const { _meta, content } = asObject(update);
  return asObject(_meta).conduct === true ? [asString(asObject(content).text)] : [];
}

/** The person in the editor: answers Conduct's questions as the run says, and allows what the agent itself asks. */
function answer(request: RequestPermissionRequest, answers: KitAnswer[]) {
  if (request.toolCall.title?.startsWith("Conduct (") !== true) return pick(request, "allow_once");
  const given = answers.shift() ?? "none";
  if (given === "none") return { outcome: "cancelled" as const };
  return pick(request, given === "yes" ? "allow_once" : "reject_once");
}
