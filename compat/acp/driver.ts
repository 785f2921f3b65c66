import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { NewSessionRequest, RequestPermissionRequest, SessionNotification } from "@agentclientprotocol/sdk";
import { asObject, asString } from "../../src/base/kernel/json.ts";
import { acpCapabilities } from "../../src/edge/adapters/capabilities.ts";
import {
  answerOrFail,
  type KitOutcome,
  type KitRun,
  playKitScript,
  type RuntimeDriver,
} from "../../src/testing/kit/driver.ts";
import type { ModelServer } from "../../src/testing/test/model-server/index.ts";
import { startDaemon } from "../opencode/daemon.ts";
import { OPENCODE, type OpencodePlace, opencodeEnv, PLUGIN_FILE, readFiles, writeFiles } from "../opencode/place.ts";
import { kitRequest, nativeScript } from "../opencode/script.ts";
import { openPlace } from "../opencode/server.ts";
import { type ProxyClient, pick, startClient } from "./proxy-client.ts";
import { acpRequest, withServerNames } from "./script.ts";

/** `opencode acp` behind `conduct acp`, an editor of the SDK's before it, and a daemon in this process. */
export function acpDriver(): RuntimeDriver {
  let opened: Promise<Opened> | undefined;
  return {
    name: "acp",
    capabilities: acpCapabilities,
    toolName: (tool) => `conduct_${tool}`,
    async run(run) {
      opened ??= open();
      return runKit(run, await opened);
    },
    async close() {
      const found = await opened;
      await found?.client.close();
      await found?.models.close();
      found?.place.remove();
    },
  };
}

type Opened = {
  readonly place: OpencodePlace;
  readonly models: ModelServer;
  client: ProxyClient;
  hear: (notification: SessionNotification) => void;
};

async function open(): Promise<Opened> {
  // Asked for everything, OpenCode asks the client; our plugin is not there.
  const { place, models } = await openPlace({
    config: { permission: { "*": "ask" } },
    files: { [PLUGIN_FILE]: undefined },
  });
  const opened = { place, models, hear: () => undefined };
  return Object.assign(opened, { client: await start(opened) });
}

function start(opened: Omit<Opened, "client">): Promise<ProxyClient> {
  return startClient({
    through: ["--wait", "3s"],
    command: [OPENCODE, "acp"],
    cwd: opened.place.root,
    env: opencodeEnv(opened.place),
    hear: (notification) => opened.hear(notification),
    answer: (request) => (isQuestion(request) ? { outcome: "cancelled" } : pick(request, "allow_once")),
  });
}

/** Questions of Conduct's own have the kit's approver; nobody else answers them. */
function isQuestion({ toolCall }: RequestPermissionRequest): boolean {
  return toolCall.title?.startsWith("Conduct (") === true;
}

let runs = 0;

async function runKit(run: KitRun, opened: Opened): Promise<KitOutcome> {
  const { place, models } = opened;
  const { agent, files, session = {}, ports = {}, failing } = run;
  runs += 1;
  const workspace = join(place.root, "workspaces", String(runs));
  const home = join(place.root, "conduct", String(runs));
  await mkdir(workspace, { recursive: true });
  await mkdir(home, { recursive: true });
  await writeFiles(workspace, files);
  await run.before?.(1, { workspace, home });
  const before = models.requests.length;
  // A stop would wait minutes for an answer that never comes.
  const until = failing === "hang" ? before + 1 : Number.POSITIVE_INFINITY;
  const begun = () => models.requests.length > before && models.requests.length <= until;
  const around = (answer: () => Promise<object>) => answerOrFail(failing, begun, answer);
  const daemon = await startDaemon({ agent, socket: place.socket, workspace, home, session, ports, around });
  const player = playKitScript(run.script);
  const play = nativeScript(player, async () => (failing === "gone" ? daemon.close() : undefined));
  models.setScript(async (request) => withServerNames(await play(acpRequest(request))));
  const shown: string[] = [];
  opened.hear = ({ update }) => {
    const { _meta, content } = asObject(update);
    if (asObject(_meta).conduct === true) shown.push(asString(asObject(content).text));
  };
  try {
    await playTurns(run, opened, { workspace, home });
    const left = await readFiles(workspace);
    return {
      requests: models.requests.slice(before).map(acpRequest).map(kitRequest),
      events: daemon.events,
      shown,
      unplayed: player.unplayed(),
      file: (path) => left.get(path),
    };
  } finally {
    await daemon.close();
  }
}

async function playTurns(run: KitRun, opened: Opened, place: { readonly workspace: string; readonly home: string }) {
  const where: NewSessionRequest = {
    cwd: place.workspace,
    mcpServers: Object.entries(run.mcpServers ?? {}).map(([name, { command, args }]) => ({
      name,
      command,
      args: [...args],
      env: [],
    })),
  };
  const { sessionId } = await opened.client.agent.request("session/new", where);
  const say = (text: string) =>
    opened.client.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  for (const [index, text] of [run.message, ...(run.further ?? [])].entries()) {
    const step = run.steps?.[index + 1];
    if (step === "compact") await say("/compact");
    if (step === "resume") {
      await opened.client.close();
      opened.client = await start(opened);
      await opened.client.agent.request("session/load", { sessionId, ...where });
    }
    if (index > 0) await run.before?.(index + 1, place);
    await say(text);
  }
}
