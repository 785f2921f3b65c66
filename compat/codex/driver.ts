import { dirname, join } from "node:path";
import { asObject, asString } from "../../src/base/kernel/json.ts";
import type { ConductEvent } from "../../src/base/words/event.ts";
import { codexCapabilities, codexCodeModeCapabilities } from "../../src/edge/adapters/capabilities.ts";
import { isCodeMode } from "../../src/edge/adapters/codex/events.ts";
import type { KitOutcome, KitRun, RuntimeDriver } from "../../src/testing/kit/driver.ts";
import { startModelServer } from "../../src/testing/test/model-server/index.ts";
import { limited, Machine } from "../shipped/machine.ts";
import { type AppClient, openAppClient } from "./app-client.ts";
import { CODEX, codexConfig } from "./codex-run.ts";
import { kitRequest, nativeScript } from "./script.ts";

/** Codex as its IDE and terminal run it (`codex app-server`), set up by `conduct init codex --trust`. */
export function codexDriver({ codeMode = false }: { readonly codeMode?: boolean } = {}): RuntimeDriver {
  return {
    name: codeMode ? "codex in code mode" : "codex",
    capabilities: codeMode ? codexCodeModeCapabilities : codexCapabilities,
    toolName: (tool) => tool,
    run: (run) => runShipped(run, codeMode),
  };
}

async function runShipped(run: KitRun, codeMode: boolean): Promise<KitOutcome> {
  const { failing } = run;
  const machine = new Machine(run, (user) => ({
    PATH: `${dirname(CODEX)}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    CODEX_HOME: join(user, ".codex"),
    SCRIPTED_KEY: "none",
  }));
  const native = nativeScript(run.script, codeMode);
  const server = await startModelServer({
    async script(request) {
      if (failing === "hang" && server.requests.length > 1) machine.wake();
      else if (failing !== undefined && server.requests.length === 1) await machine.fail(failing);
      return native.reply(request);
    },
  });
  try {
    const { mcpServers } = run;
    const model = codeMode ? "gpt-6.1-sol" : "gpt-5.5";
    machine.write(
      join(machine.user, ".codex/config.toml"),
      codexConfig({ modelUrl: server.openaiUrl, model, workspace: machine.workspace, mcpServers }),
    );
    await run.before?.(1, machine.place);
    await machine.setUp("codex", "--trust");
    machine.answerQuestions();
    const shown = await limited(play(run, machine));
    const files = machine.files();
    const events = machine.events();
    return {
      requests: server.requests.map(kitRequest),
      events: codeMode ? withKitIds(events, native.said) : events,
      shown,
      unplayed: native.unplayed(),
      file: (path) => files.get(path),
    };
  } finally {
    await machine.close();
    await server.close();
  }
}

/** Returns what hooks have shown to the person. */
async function play(run: KitRun, machine: Machine): Promise<readonly string[]> {
  const shown: string[] = [];
  const open = async (): Promise<AppClient> => {
    const client = await openAppClient(machine.workspace, machine.env);
    machine.onClose(() => client.close());
    return client;
  };
  let client = await open();
  const options = { cwd: machine.workspace, approvalPolicy: "never", sandbox: "danger-full-access" };
  const { thread } = await client.request("thread/start", options);
  const id = asString(asObject(thread).id);
  for (const [index, message] of [run.message, ...(run.further ?? [])].entries()) {
    const step = run.steps?.[index + 1];
    if (step === "compact") await client.compact(id);
    if (step === "resume") {
      await client.close();
      client = await open();
      await client.request("thread/resume", { threadId: id, ...options });
    }
    await machine.before(index + 1);
    shown.push(...(await client.say(id, message)));
  }
  await client.close();
  return shown;
}

/** Calls made inside a script have ids that Codex gives; they come in the order in which the model has made them. */
function withKitIds(events: readonly ConductEvent[], said: readonly string[]): readonly ConductEvent[] {
  const wanted = [...said];
  const ids = new Map<string, string>();
  return events.map((event) => {
    if (event.type !== "call" || !isCodeMode(event.call)) return event;
    const id = ids.get(event.call.id) ?? wanted.shift() ?? event.call.id;
    ids.set(event.call.id, id);
    return { ...event, call: { ...event.call, id } };
  });
}
