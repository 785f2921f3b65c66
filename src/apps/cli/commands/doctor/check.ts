import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorText } from "../../../../base/kernel/error-text.ts";
import type { GovernanceJournal } from "../../../../base/ports/stores/governance.ts";
import type { Agent } from "../../../../base/words/hosting/agent.ts";
import type { BoundAgents, RuntimeBinding } from "../../../../edge/host/daemon/daemon-agents.ts";
import { helloDaemon } from "../../../../edge/host/daemon/daemon-client.ts";
import { NoDaemonError } from "../../../../edge/host/daemon/hook-socket-client.ts";
import { readPause } from "../../../../edge/host/daemon/paused.ts";
import { lastingProgram } from "../../../../edge/host/node/installed-copy.ts";
import { conductVersion } from "../../../../edge/host/node/package-files.ts";
import { outgoingFaults } from "../../../../edge/host/opening/load-outgoing.ts";
import { loadPlugins } from "../../../../edge/host/opening/load-plugins.ts";
import { serverFaults } from "../../../../edge/host/opening/load-servers.ts";
import { findSandbox } from "../../../../edge/host/sandbox/find-sandbox.ts";
import { describeSandbox } from "../../../../edge/host/sandbox/sandbox.ts";
import { trustStore } from "../../../../edge/host/trust/trust.ts";
import { failureRule } from "../../../../edge/host/watched/failure-rule.ts";
import { findConfig } from "../../../../edge/host/workspace/find-config.ts";
import { isMissing } from "../../../../edge/host/workspace/resolve-path.ts";
import { storePlace } from "../../../../edge/host/workspace/store-place.ts";
import { homeStores } from "../../../../edge/stores/home-stores.ts";
import type { SqlStore } from "../../../../edge/stores/sql/sql-store.ts";
import { REPAIR_COMMAND } from "../../../../engine/governance/governance-health.ts";
import { EMPTY_FOLD, readOn } from "../../../../engine/governance/journal-fold.ts";
import { changedSources } from "../../../import/import-record.ts";
import type { StartedRuntime } from "../../../install/client-runtimes.ts";
import { launcherPath, readLauncher, repairLauncher } from "../../../install/launcher/launcher-files.ts";
import { testsAppeared } from "../../../install/project-config-text.ts";
import type { InstallableRuntime } from "../../../install/runtime.ts";
import { plural } from "../../../shared/printable.ts";
import { configText } from "../../stores/config-text.ts";
import { modelProblems } from "../config/model-faults.ts";
import { describeOtherVersion } from "../daemon/daemon.ts";
import { hasNoRules, type InitWorld } from "../init/init-world.ts";
import { type Check, fails, holds, warns } from "./render.ts";

/** The doctor's dependencies; replaced in tests. */
export type DoctorWorld = Pick<InitWorld, "env" | "home" | "now" | "daemon" | "find" | "codexTrust"> & {
  readonly cwd: string;
  version(program: string): string | undefined;
};

/** One line with what Conduct cannot enforce in the runtime. */
export function openOf({ loose, capabilities }: Pick<InstallableRuntime, "loose" | "capabilities">): string {
  const cannot = Object.entries(capabilities).flatMap(([capability, can]) => (can === true ? [] : [capability]));
  return `${loose}${cannot.length === 0 ? "" : `; not supported there: ${cannot.join(", ")}`}`;
}

/** Loaded late: it compiles rules. */
const agents = () => import("../../../../edge/host/daemon/daemon-agents.ts");

type Place = Pick<DoctorWorld, "home" | "cwd">;

/** The binding of a session started now; the daemon resolves it the same way for every session. */
export async function bindingOf({ name }: { readonly name: string }, { home, cwd }: Place): Promise<RuntimeBinding> {
  const { resolveRuntime } = await agents();
  return resolveRuntime(name, { home, workspace: cwd });
}

/** Checks which agent is bound, and whether its rules are enforced. */
export async function checkBound(runtime: StartedRuntime, place: Place): Promise<Check> {
  const binding = await bindingOf(runtime, place);
  switch (binding.kind) {
    case "broken":
      return fails("agent", "the configuration has faults, so every call is denied", "conduct doctor");
    case "undecided": {
      const words = [runtime.name, "--agent", binding.agents[0] ?? "NAME"].join(" ");
      return fails("agent", binding.message, `choose one in the client's settings: ${words}`);
    }
    case "bound": {
      const { agent, settings, config } = binding;
      const rules = config.from === "built-in" ? ", with the built-in coding rules" : "";
      if (hasNoRules(agent)) return warns("agent", `as ${agent.name}, which has no rules: nothing is ever blocked`);
      if (settings.enforcement === "enforce") return holds("agent", `as ${agent.name}, enforced${rules}`);
      return warns("agent", `as ${agent.name}, shadow mode: nothing is blocked${rules}`);
    }
  }
}

/** True if nothing is blocked there now, because of shadow mode or a pause. */
function isLetThrough({ name }: { readonly name: string }, { home }: Place): boolean {
  return failureRule(home, name) === "pass";
}

/** The outcome of the forbidden call. `as` is the agent recorded in the journal, if the call was recorded. */
type ProbeEnd = { readonly letThrough: boolean; readonly as: string | undefined };

/** The self-test in one line: denied, recorded, and decided for the agent that `checkBound` names. */
export async function checkEnd(
  runtime: { readonly name: string },
  place: Place,
  { letThrough, as }: ProbeEnd,
  { way, fix }: { readonly way: string; readonly fix: string },
): Promise<Check> {
  if (as === undefined) return fails("self-test", "the test call is not in the journal", fix);
  const binding = await bindingOf(runtime, place);
  if (binding.kind === "bound" && binding.agent.name !== as) {
    return fails(
      "self-test",
      `the test call was decided for the agent '${as}' instead of '${binding.agent.name}'`,
      fix,
    );
  }
  if (!letThrough) return holds("self-test", `a forbidden call through ${way} was denied and recorded`);
  if (isLetThrough(runtime, place))
    return holds("self-test", `a forbidden call through ${way} was recorded; shadow mode blocks nothing`);
  return fails("self-test", `a forbidden call through ${way} was allowed`, fix);
}

/**
 * Checks that the command in a runtime's settings leads to an existing Conduct, and repairs it if not. `optional`: the
 * runtime also works when a person has it start `conduct` itself.
 */
export async function checkLauncher(
  home: string,
  again: string,
  need: "required" | "optional" = "required",
): Promise<Check> {
  const path = launcherPath(home);
  const state = await readLauncher(home);
  switch (state.kind) {
    case "missing":
      return need === "optional"
        ? warns("launcher", "not set up: clients that start conduct directly fail if this installation moves", again)
        : fails("launcher", `${path} is missing`, again);
    case "broken":
      await repairLauncher(home);
      return warns("launcher", `${path} could not start Conduct (${state.why}); repaired, it now starts this one`);
    case "works": {
      const { program } = state.installation;
      if (program === lastingProgram(home)) return holds("launcher", `${path} starts this Conduct`);
      return warns("launcher", `${path} starts another Conduct: ${program}`, again);
    }
  }
}

export async function checkMachine(
  world: DoctorWorld,
  store: SqlStore | undefined,
  where: string,
): Promise<readonly Check[]> {
  return [
    holds("node", `${process.versions.node}, Conduct ${conductVersion()}`),
    await checkHome(world.home),
    ...(await checkConfig(world)),
    await checked("trust", "conduct trust --list", async () => {
      const entries = await trustStore(world.home).list();
      return holds("trust", `${plural(entries.length, "file")} in workspaces trusted`);
    }),
    store === undefined
      ? warns("store", `${where} does not exist yet; the first session creates it`)
      : holds("store", where),
    ...(store === undefined ? [] : [await checkKey(store)]),
    ...(await checkJournal(world, store)),
    await checkSandbox(world),
    await checkDaemon(world.home),
    ...checkPause(world),
  ];
}

async function checkHome(home: string): Promise<Check> {
  return checked("home", `chmod 700 ${home}`, async () => {
    try {
      const { mode } = await stat(home);
      if ((mode & 0o022) !== 0) return fails("home", `${home} is writable by other accounts`, `chmod 700 ${home}`);
      return holds("home", home);
    } catch (error) {
      if (!isMissing(error)) throw error;
      return warns("home", `${home} does not exist yet`, "conduct init claude-code");
    }
  });
}

async function checkConfig({ home, cwd, env }: DoctorWorld): Promise<readonly Check[]> {
  const { base, added } = findConfig({ home, folder: cwd });
  if (base === undefined && added.length === 0) {
    const text = configText({ from: "built-in", faults: [] }, cwd);
    return [warns("config", `${text}: the coding rules`, "conduct init claude-code")];
  }
  const bound = await (await agents()).bindAgents(home, cwd);
  const { file, faults } = bound.config;
  if (bound.kind === "broken") return [fails("config", bound.message, `conduct config check ${file}`)];
  const text = `${configText(bound.config, cwd)}: ${bound.agents.map(({ name }) => name).join(", ")}`;
  const models = await modelProblems(bound.loaded, env);
  const plugins = bound.loaded === undefined ? undefined : await loadPlugins(bound.loaded, home);
  const skipped = faults.map(({ where, message }) => warns("skipped", `${where}: ${message}`));
  const project = bound.config.from === "project" ? file : undefined;
  const tests = project === undefined ? undefined : await testsAppeared(project, cwd);
  const changed = project === undefined ? [] : await changedSources(project);
  return [
    file === undefined ? warns("config", text, "conduct init claude-code") : holds("config", text),
    ...(changed.length === 0
      ? []
      : [warns("import", `${changed.join(", ")} since the import`, "show what that means: conduct import")]),
    ...(tests === undefined ? [] : [warns("tests", tests, `delete them from \`off\` in ${file}`)]),
    ...(plugins?.faults ?? []).map(({ line, message }) =>
      fails("plugin", `line ${line}: ${message}`, `conduct config check ${file}`),
    ),
    ...models.faults.map(({ line, message, hint }) => fails("model", `line ${line}: ${message}`, hint ?? "")),
    ...models.warnings.map(({ line, message, hint }) => warns("model", `line ${line}: ${message}`, hint)),
    ...skipped,
    ...(await checkServers(bound.agents, bound.loaded, { home, env })),
    ...(bound.loaded === undefined ? [] : outgoingFaults(bound.loaded, env)).map(({ line, message, hint }) =>
      fails("outgoing", `line ${line}: ${message}`, hint ?? ""),
    ),
  ];
}

/** Starts the MCP servers once, as the gateway does. */
async function checkServers(
  agents: readonly Agent[],
  loaded: Extract<BoundAgents, { readonly kind: "ready" }>["loaded"],
  { home, env }: Pick<DoctorWorld, "home" | "env">,
): Promise<readonly Check[]> {
  const wrong = loaded === undefined ? [] : serverFaults(loaded, env);
  if (wrong.length > 0)
    return wrong.map(({ line, message, hint }) => fails("mcp", `line ${line}: ${message}`, hint ?? ""));
  if (agents.every(({ mcpServers }) => mcpServers === undefined)) return [];
  const { tryServers } = await import("../../../gateway/mcp/try-servers.ts");
  return (await tryServers(agents, { home, env, programs: loaded?.parsed.gateway.programs })).map((status) => {
    const name = `${status.agent}: ${status.server}`;
    if ("tools" in status) return holds("mcp", `${name}, ${plural(status.tools, "tool")}`);
    return fails("mcp", `${name} is not available: ${status.why}`, "start it by hand to see what it lacks");
  });
}

/** Without the key, stored content is lost; with the key and the store, anyone can read it. */
async function checkKey({ keys, kind }: SqlStore): Promise<Check> {
  return checked("key", "Restore the store's key from your backup", async () => {
    const { key, state } = await keys.status();
    const where = key.kind === "file" ? key.file : "in CONDUCT_DATA_KEY";
    if (state !== "clean" && kind === "sqlite") {
      const text = `${where}; freed pages of the store still contain text from before encryption`;
      return warns("key", text, "Stop every Conduct process on this store, then run: conduct doctor");
    }
    return holds("key", `${where}; back it up separately: without it the stored content is lost`);
  });
}

/** Same check as in gateway and daemon: the chain, every entry, and the head saved outside the store. */
async function checkJournal({ env, home }: DoctorWorld, store: SqlStore | undefined): Promise<readonly Check[]> {
  if (store !== undefined) return [await checkGovernance(store.governance)];
  const stores = homeStores(storePlace(env, home));
  const found = await checkGovernance(stores.governance).finally(() => stores.close());
  // Without a store there is no journal yet, unless saved heads show that there was one.
  return found.kind === "fails" ? [found] : [];
}

async function checkGovernance(governance: GovernanceJournal): Promise<Check> {
  return checked("journal", REPAIR_COMMAND, async () => {
    const hadHead = governance.witness === undefined || (await governance.witness.newest()) !== undefined;
    const { fold, fault } = await readOn(governance, EMPTY_FOLD);
    if (fault !== undefined) return fails("journal", fault.message, REPAIR_COMMAND);
    const { seq } = fold.head;
    const text = `verified, ${seq} ${seq === 1 ? "entry" : "entries"}`;
    if (hadHead || seq === 0) return holds("journal", text);
    return warns("journal", `${text}; no head was saved outside the store, so earlier deletions cannot be detected`);
  });
}

/** Only for agents hosted by the gateway; coding runtimes have sandboxes of their own. */
async function checkSandbox({ home, env }: DoctorWorld): Promise<Check> {
  return checked("sandbox", "conduct config check", async () => {
    const folder = await mkdtemp(join(tmpdir(), "conduct-doctor-"));
    try {
      const sandbox = await findSandbox({ home, env, folder });
      if (sandbox.kind === "none") return warns("sandbox", `${describeSandbox(sandbox)}`);
      return holds("sandbox", `${describeSandbox(sandbox)}, for commands of agents in the gateway`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

async function checkDaemon(home: string): Promise<Check> {
  return checked("daemon", "conduct daemon start", async () => {
    // The daemon is not started here: the self-tests use the runtimes' own path, which starts it.
    const hello = await helloDaemon(home).catch((error: unknown) => {
      if (error instanceof NoDaemonError) return undefined;
      throw error;
    });
    if (hello === undefined) return holds("daemon", "not running; the next hook starts it");
    const { version, pid, port, httpFault } = hello;
    if (port === undefined) return fails("daemon", `not reachable over HTTP: ${httpFault}`, "conduct daemon stop");
    const other = describeOtherVersion(version);
    if (other === undefined) return holds("daemon", `answers: process ${pid}, port ${port}`);
    return warns("daemon", `process ${pid} runs Conduct ${version}, ${other.text}`, other.fix);
  });
}

function checkPause({ home, now }: DoctorWorld): readonly Check[] {
  const pause = readPause(home, now());
  if (pause === undefined) return [];
  const until = new Date(pause.until).toISOString();
  return [warns("paused", `nothing is enforced until ${until}, by ${pause.by}`, "conduct resume")];
}

/** Turns any failure of the check into a failed check. */
export async function checked(what: string, fix: string, look: () => Promise<Check>): Promise<Check> {
  try {
    return await look();
  } catch (error) {
    return fails(what, errorText(error), fix);
  }
}
