import { join } from "node:path";
import { asObject, asString } from "../../src/base/kernel/json.ts";
import type { ConductEvent } from "../../src/base/words/event.ts";
import { opencodeCapabilities, opencodeRunCapabilities } from "../../src/edge/adapters/capabilities.ts";
import { type KitOutcome, type KitRun, playKitScript, type RuntimeDriver } from "../../src/testing/kit/driver.ts";
import { startModelServer } from "../../src/testing/test/model-server/index.ts";
import { limited, Machine } from "../shipped/machine.ts";
import { installed, modelName, OPENCODE, opencodeConfig, opencodeUser } from "./place.ts";
import { kitRequest, nativeScript, sideReply } from "./script.ts";
import { type Served, serve } from "./server.ts";

type Play = (run: KitRun, machine: Machine, model: string) => Promise<readonly string[]>;

/** `opencode serve`, which the terminal interface uses too, set up by `conduct init opencode`. */
export function opencodeDriver(): RuntimeDriver {
  return {
    name: "opencode",
    capabilities: opencodeCapabilities,
    toolName: (tool) => tool,
    run: (run) => runShipped(run, serveTurns),
  };
}

/** `opencode run`, a process for each message. */
export function opencodeRunDriver(): RuntimeDriver {
  return {
    name: "opencode run",
    capabilities: opencodeRunCapabilities,
    toolName: (tool) => tool,
    run: (run) => runShipped(run, runTurns),
  };
}

async function runShipped(run: KitRun, play: Play): Promise<KitOutcome> {
  const { failing } = run;
  const machine = new Machine(run, opencodeUser);
  const player = playKitScript(run.script);
  const models = await startModelServer({
    ignore: sideReply,
    script: nativeScript(player, async (left) => {
      if (failing === "hang" && left === 0) machine.wake();
      else if (failing !== undefined && models.requests.length === 1) await machine.fail(failing);
    }),
  });
  try {
    const config = join(machine.user, ".config/opencode");
    const given = {
      "opencode.json": opencodeConfig(models.openaiUrl, mcpOf(run)),
      "models.json": "{}",
      ...installed("."),
    };
    for (const [name, text] of Object.entries(given)) machine.write(join(config, name), text);
    await run.before?.(1, machine.place);
    await machine.setUp("opencode");
    machine.answerQuestions();
    const shown = await limited(play(run, machine, modelName(run.window ?? 200_000)));
    const files = machine.files();
    return {
      requests: models.requests.map(kitRequest),
      events: machine.events(),
      shown,
      unplayed: player.unplayed(),
      file: (path) => files.get(path),
    };
  } finally {
    await machine.close();
    await models.close();
  }
}

function mcpOf({ mcpServers = {} }: KitRun): object {
  const servers = Object.entries(mcpServers).map(([name, { command, args }]) => [
    name,
    { type: "local", command: [command, ...args], enabled: true },
  ]);
  return { mcp: Object.fromEntries(servers) };
}

/** One turn after the other over OpenCode's API; returns what a client was shown. */
async function serveTurns(run: KitRun, machine: Machine, model: string): Promise<readonly string[]> {
  const { workspace } = machine;
  const shown: string[] = [];
  const start = async (): Promise<Served> => {
    const server = await serve(machine.user, machine.env);
    machine.onClose(() => server.close());
    const events = await server.listen(workspace, ({ type, properties }) => {
      if (type === "tui.toast.show") shown.push(asString(asObject(properties).message));
    });
    machine.onClose(() => events.close());
    return server;
  };
  let server = await start();
  const created = await server.ask(workspace, "POST", "/session", {});
  const id = asString(asObject(created.body).id);
  for (const [index, text] of [run.message, ...(run.further ?? [])].entries()) {
    const step = run.steps?.[index + 1];
    if (step === "compact") await compact(server, workspace, id, model);
    if (step === "resume") {
      await server.close();
      server = await start();
    }
    await machine.before(index + 1);
    const before = machine.events().length;
    const body = { model: { providerID: "scripted", modelID: model }, parts: [{ type: "text", text }] };
    const { status } = await server.ask(workspace, "POST", `/session/${id}/message`, body);
    // A message that was for Conduct alone is answered with an error, and no turn begins; one that fails has no end.
    if (status !== 200 || run.failing !== undefined) continue;
    const since = (what: string, isIt: (event: ConductEvent) => boolean) =>
      machine.until(what, (events) => events.slice(before).some(isIt));
    await since("the end of the turn", isEnd);
    // The last event of a turn that was not broken off; what there is to show of it goes out with it.
    const end = machine.events().slice(before).find(isEnd);
    if (end?.type === "stop" && end.status !== "ended-by-policy") await since("the answer", isReply);
  }
  await untilShown(machine.events(), shown);
  await server.ask(workspace, "POST", "/tui/show-toast", { message: LAST, variant: "info" });
  await waitFor(() => shown.includes(LAST));
  return shown.filter((text) => text !== LAST);
}

async function compact(server: Served, workspace: string, id: string, modelID: string): Promise<void> {
  const body = { providerID: "scripted", modelID };
  const { status } = await server.ask(workspace, "POST", `/session/${id}/summarize`, body);
  if (status !== 200) throw new Error(`OpenCode did not compact the conversation: ${status}`);
}

async function runTurns(run: KitRun, machine: Machine, model: string): Promise<readonly string[]> {
  const shown: string[] = [];
  for (const [index, message] of [run.message, ...(run.further ?? [])].entries()) {
    await machine.before(index + 1);
    const session = machine.events().find(({ parent }) => parent === undefined)?.session;
    const goOn = session === undefined ? [] : ["--session", session];
    const words = ["run", "--format", "json", "--model", `scripted/${model}`, ...goOn];
    // On stdin: OpenCode puts an argument with spaces into quotes.
    const { stderr } = await machine.spawn(OPENCODE, words, { env: { PWD: machine.workspace }, input: message });
    shown.push(stderr);
  }
  return shown;
}

/** Shown by us, after all that the plugin has shown. */
const LAST = "(the run is over)";

function isReply(event: ConductEvent): boolean {
  return event.type === "notice" && event.notice.kind === "reply" && event.parent === undefined;
}

function isEnd(event: ConductEvent): boolean {
  if (event.type !== "stop" || event.parent !== undefined) return false;
  // A session in shadow mode is refused nothing.
  return event.status !== "refused" || event.observing !== undefined;
}

/** Toasts arrive apart from the answer: waits for those that the events name, and no longer than five seconds. */
async function untilShown(events: readonly ConductEvent[], shown: readonly string[]): Promise<void> {
  const wanted = events.flatMap((event) => {
    if (event.type === "verbose") return [event.text];
    return event.type === "message"
      ? [...(event.notes ?? []), ...(event.reply === undefined ? [] : [event.reply])]
      : [];
  });
  await waitFor(() => wanted.every((text) => shown.some((one) => one.includes(text))));
}

async function waitFor(isSo: () => boolean): Promise<void> {
  for (let left = 100; left > 0 && !isSo(); left -= 1) await new Promise((resolve) => setTimeout(resolve, 50));
}
