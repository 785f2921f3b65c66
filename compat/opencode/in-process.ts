import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { asObject, asString } from "../../src/base/kernel/json.ts";
import type { ConductEvent } from "../../src/base/words/event.ts";
import { answerOrFail, type KitOutcome, playKitScript } from "../../src/testing/kit/driver.ts";
import type { LocalRun } from "../../src/testing/kit/local-run.ts";
import type { ModelServer, Script } from "../../src/testing/test/model-server/index.ts";
import { type Daemon, startDaemon } from "./daemon.ts";
import { type HomeOptions, modelName, type OpencodePlace, readFiles, writeFiles } from "./place.ts";
import { runOpencode } from "./run.ts";
import { kitRequest, nativeScript } from "./script.ts";
import { type OpencodeServer, openPlace } from "./server.ts";

/** For tests of the adapter alone, which watch it in this process. The kit drives the shipped program: driver.ts. */
/** One run behind a server; `script` says in OpenCode's own words what the kit has none for. */
export function runServed(server: OpencodeServer, run: LocalRun, script?: Script): Promise<KitOutcome> {
  return runKit(run, server.place, server.models, (at) => serveTurns(run, at, server), script);
}

/** `opencode run`, a process for each message. */
export function localOpencodeRun(options: HomeOptions = {}) {
  let opened: ReturnType<typeof openPlace> | undefined;
  return {
    async run(run: LocalRun) {
      opened ??= openPlace(options);
      const { place, models } = await opened;
      return runKit(run, place, models, (at) => runTurns(run, at, place, options.env));
    },
    async close() {
      const found = await opened;
      await found?.models.close();
      found?.place.remove();
    },
  };
}

type At = { readonly workspace: string; readonly home: string; readonly daemon: Daemon; readonly model: string };

let runs = 0;

async function runKit(
  run: LocalRun,
  place: OpencodePlace,
  models: ModelServer,
  play: (at: At) => Promise<readonly string[]>,
  script?: Script,
): Promise<KitOutcome> {
  const { agent, files, session = {}, ports = {}, failing, mcpServers = {} } = run;
  runs += 1;
  const workspace = join(place.root, "workspaces", String(runs));
  const home = join(place.root, "conduct", String(runs));
  await mkdir(workspace, { recursive: true });
  await mkdir(home, { recursive: true });
  await writeFiles(workspace, { ...files, ...projectConfig(mcpServers) });
  await run.before?.(1, { workspace, home });
  const before = models.requests.length;
  const begun = () => models.requests.length > before;
  const around = (answer: () => Promise<object>) => answerOrFail(failing, begun, answer);
  const daemon = await startDaemon({ agent, socket: place.socket, workspace, home, session, ports, around });
  const player = playKitScript(run.script);
  // One that hangs is taken away when it has been seen to: nobody has to wait for what else it would not answer.
  const answering = async (left: number) =>
    failing === "gone" || (failing === "hang" && left === 0) ? daemon.close() : undefined;
  models.setScript(script ?? nativeScript(player, answering));
  try {
    const model = modelName(session.window ?? agent.limits.window ?? 200_000);
    const shown = await play({ workspace, home, daemon, model });
    const left = await readFiles(workspace);
    return {
      requests: models.requests.slice(before).map(kitRequest),
      events: daemon.events,
      shown,
      unplayed: player.unplayed(),
      file: (path) => left.get(path),
    };
  } finally {
    await daemon.close();
  }
}

/** The workspace's own configuration: one server of OpenCode's serves them all. */
function projectConfig(servers: NonNullable<LocalRun["mcpServers"]>): { readonly [path: string]: string } {
  if (Object.keys(servers).length === 0) return {};
  const mcp = Object.entries(servers).map(([name, { command, args }]) => [
    name,
    { type: "local", command: [command, ...args], enabled: true },
  ]);
  return { "opencode.json": JSON.stringify({ mcp: Object.fromEntries(mcp) }) };
}

/** One turn after the other over OpenCode's API; gives what a client was shown. */
async function serveTurns(run: LocalRun, at: At, server: OpencodeServer): Promise<readonly string[]> {
  const { workspace, home, daemon, model } = at;
  const shown: string[] = [];
  const hear = () =>
    server.listen(workspace, ({ type, properties }) => {
      if (type === "tui.toast.show") shown.push(asString(asObject(properties).message));
    });
  let events = await hear();
  try {
    const created = await server.ask(workspace, "POST", "/session", {});
    const id = asString(asObject(created.body).id);
    for (const [index, text] of [run.message, ...(run.further ?? [])].entries()) {
      const step = run.steps?.[index + 1];
      if (step === "compact") await compact(server, workspace, id, model);
      if (step === "resume") {
        await server.restart();
        events = await hear();
      }
      if (index > 0) await run.before?.(index + 1, { workspace, home });
      const before = daemon.events.length;
      const body = { model: { providerID: "scripted", modelID: model }, parts: [{ type: "text", text }] };
      const { status } = await server.ask(workspace, "POST", `/session/${id}/message`, body);
      // A message that was for Conduct alone is answered with an error, and no turn begins; one that fails tells no end.
      if (status !== 200 || run.failing !== undefined) continue;
      const since = (looked: (event: ConductEvent) => boolean) =>
        within(daemon.when((event) => daemon.events.indexOf(event) >= before && looked(event)));
      const end = await since(isEnd);
      // The last that is told of a turn that was not broken off; what there is to show of it goes out with it.
      if (end.type === "stop" && end.status !== "ended-by-policy") await since(isReply);
    }
    await untilShown(daemon, shown);
    await server.ask(workspace, "POST", "/tui/show-toast", { message: LAST, variant: "info" });
    await within(heard(shown, LAST));
    return shown.filter((text) => text !== LAST);
  } finally {
    events.close();
  }
}

async function compact(server: OpencodeServer, workspace: string, id: string, modelID: string): Promise<void> {
  const { status } = await server.ask(workspace, "POST", `/session/${id}/summarize`, {
    providerID: "scripted",
    modelID,
  });
  if (status !== 200) throw new Error(`OpenCode did not compact the conversation: ${status}`);
}

async function runTurns(
  run: LocalRun,
  { workspace, home, daemon, model }: At,
  place: OpencodePlace,
  env: NodeJS.ProcessEnv = {},
) {
  const shown: string[] = [];
  for (const [index, message] of [run.message, ...(run.further ?? [])].entries()) {
    if (index > 0) await run.before?.(index + 1, { workspace, home });
    const session = daemon.events.find(({ parent }) => parent === undefined)?.session;
    const goOn = session === undefined ? {} : { session };
    const { stderr } = await runOpencode({ place, workspace, message, model, env, ...goOn });
    shown.push(stderr);
  }
  return shown;
}

/** Shown by us, after all that the plugin has shown. */
const LAST = "(the run is over)";

async function heard(shown: readonly string[], text: string): Promise<void> {
  while (!shown.includes(text)) await new Promise((resolve) => setTimeout(resolve, 20));
}

function isReply(event: ConductEvent): boolean {
  return event.type === "notice" && event.notice.kind === "reply" && event.parent === undefined;
}

function isEnd(event: ConductEvent): boolean {
  if (event.type !== "stop" || event.parent !== undefined) return false;
  // A session that is only watched is refused nothing.
  return event.status !== "refused" || event.observing !== undefined;
}

/** What is shown comes by another way than the answer: all that there is to show is waited for, and no longer than that. */
async function untilShown(daemon: Daemon, shown: readonly string[]): Promise<void> {
  const wanted = daemon.events.flatMap((event) => {
    if (event.type === "verbose") return [event.text];
    return event.type === "message"
      ? [...(event.notes ?? []), ...(event.reply === undefined ? [] : [event.reply])]
      : [];
  });
  for (let left = 100; left > 0 && !wanted.every((text) => shown.some((one) => one.includes(text))); left -= 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function within<T>(waited: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the turn did not come to its end within a minute")), 60_000);
  });
  return Promise.race([waited, late]).finally(() => clearTimeout(timer));
}
