import type { BehaviorDirective, Candidate, ContractEvent, ContractView } from "../../../../base/words/contract.ts";
import type { ContractPoint } from "../../../../behavior/contract/active-contract.ts";
import type { ContractState } from "../../../../behavior/contract/contract-state.ts";
import { candidateAt } from "../../../../behavior/contract/contract-state.ts";
import { writeCheck } from "../../../../behavior/contract/directive-check.ts";
import { readTime } from "../../../../behavior/contract/iso-time.ts";
import type { ContractService } from "../../../../engine/governance/contract-service.ts";
import { describeEvent } from "../../../shared/contract-words.ts";
import { clip, oneLine } from "../../../shared/printable.ts";
import type { BehaviorShowArgs, ViewArgs } from "../../declared/contract-commands.ts";
import { badArgument, done, failed, type NextAction, type Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import {
  damaged,
  type GovernanceCommand,
  HISTORY,
  LIST,
  noSuchVersion,
  type OpenContract,
  readVersion,
  readView,
  thisMachine,
  withContract,
} from "../../stores/with-contract.ts";
import { contractsOf, isWhole, pastState, type ShownContracts, versionsOf, wholeHistory } from "./contracts.ts";
import { type FoundPrompts, findPrompts, keyword, renderContracts, stamp } from "./render.ts";

export const behaviorList: GovernanceCommand<ViewArgs> = async (args, terminal, world = thisMachine()) => {
  const view = readView(args);
  if ("ok" in view) return view;
  return withContract(world, "read", async ({ service, told }) => {
    const state = await service.state();
    const contracts = contractsOf(state, view, world.clock.now());
    const { limits, note } = await world.cap();
    const result = { ...contracts, cap: { directives: limits.items, note }, told: await told?.use(contracts.hash) };
    const text = renderContracts(result, terminal, state.fault?.message);
    if (state.fault !== undefined) return { ...damaged(state.fault, result), text };
    return done(result, text, nextOf(contracts));
  });
};

function nextOf({ directives: [directive], candidates: [candidate] }: ShownContracts): readonly NextAction[] {
  const next: NextAction[] = [
    {
      command: 'conduct behavior add "STOP: long status reports"',
      description: "Add a directive",
      params: { directive: { description: "KEEP, MORE, LESS, STOP or START, a colon and the text" } },
    },
  ];
  if (directive !== undefined)
    next.push({ command: `conduct behavior show ${directive.id}`, description: "Show a directive" });
  if (candidate !== undefined)
    next.push({ command: `conduct behavior promote ${candidate.id}`, description: "Accept the candidate" });
  return [...next, HISTORY];
}

/** `conduct behavior show [ID | --at TIME | --version N | --hash HASH]` */
export const behaviorShow: GovernanceCommand<BehaviorShowArgs> = async (args, terminal, world = thisMachine()) => {
  const { id } = args;
  const view = readView(args);
  if ("ok" in view) return view;
  const version = readVersion(args.version, "--version");
  const time = args.at === undefined ? undefined : readTime(args.at);
  if (args.at !== undefined && time === undefined) {
    const message = `--at: '${clip(oneLine(args.at), 40)}' is not a time`;
    return badArgument(message, "give it with its zone, such as 2026-11-15T08:00Z", "INVALID_TIME");
  }
  const at = time === undefined ? undefined : Date.parse(time);
  if (typeof version === "object") return version;
  const hash = args.hash?.toLowerCase();
  if ([id, version, at, hash].filter((given) => given !== undefined).length > 1) {
    return badArgument("ID, --version, --at and --hash cannot be combined", "conduct behavior show --help");
  }
  if (hash !== undefined && !/^[0-9a-f]{6,20}$/.test(hash)) {
    return badArgument(`--hash: '${clip(oneLine(hash), 40)}' is not a hash`, "give its first 6 to 20 hex digits");
  }
  const now = world.clock.now();
  return withContract(world, "read", async (contract) => {
    const state = await contract.service.state();
    if (state.fault !== undefined) return damaged(state.fault);
    if (id !== undefined) return showOne(id, contract, now, terminal);
    if (hash !== undefined) return showHash(hash, view, contract, terminal);
    if (version !== undefined) return showAt({ version }, view, contract, terminal);
    if (at !== undefined) return showAt({ at }, view, contract, terminal);
    return shownAs(contractsOf(state, view, now), contract, terminal);
  });
};

async function showAt(
  point: ContractPoint,
  view: ContractView,
  contract: OpenContract,
  terminal: Terminal,
): Promise<Outcome> {
  const { service } = contract;
  const { version: newest } = await service.state();
  if ("version" in point && point.version > newest) return noSuchVersion(point.version, newest);
  const { state, now } = await pastState(service, point);
  return shownAs(contractsOf(state, view, now), contract, terminal);
}

async function shownAs(shown: ShownContracts, { told }: OpenContract, terminal: Terminal): Promise<Outcome> {
  const result = { ...shown, told: await told?.use(shown.hash) };
  return done(result, renderContracts(result, terminal), [LIST]);
}

/** The newest version with that hash and the runs that used it; `versions` has all of them. */
async function showHash(
  digits: string,
  view: ContractView,
  contract: OpenContract,
  terminal: Terminal,
): Promise<Outcome> {
  const { service, told } = contract;
  const found = told === undefined ? undefined : await findPrompts(told, digits);
  const shown = (await byVersion(digits, view, service)) ?? (await byRun(found, view, service));
  if (shown === undefined) {
    const message = `no version has the hash ${digits}`;
    const fix = "add the agent, channel and user of the run: --agent, --channel, --user";
    return failed("VERSION_NOT_FOUND", message, fix, { next: [HISTORY] });
  }
  const use = await told?.use(shown.hash);
  const runs = found?.hash === shown.hash ? found.runs : [];
  const result = { ...shown, told: use && { ...use, runs } };
  return done(result, renderContracts(result, terminal), [LIST]);
}

type ShownVersions = ShownContracts & { readonly versions: readonly number[] };

async function byVersion(
  digits: string,
  view: ContractView,
  service: ContractService,
): Promise<ShownVersions | undefined> {
  const versions = await versionsOf(service, digits, view);
  const newest = versions.at(-1);
  if (newest === undefined) return undefined;
  const { state, now } = await pastState(service, { version: newest });
  return { ...contractsOf(state, view, now), versions };
}

/** The hash alone does not identify the scope; the run does. */
async function byRun(
  found: FoundPrompts | undefined,
  asked: ContractView,
  service: ContractService,
): Promise<ShownVersions | undefined> {
  const run = found?.runs[0];
  if (run === undefined || found === undefined || !isWhole(asked)) return undefined;
  const { hash, newest } = found;
  const { agent, channel, user } = run;
  const view = { agent, channel, user };
  const { state } = await pastState(service, { version: run.version });
  const shown = contractsOf(state, view, newest.at);
  return shown.hash === hash ? { ...shown, versions: await versionsOf(service, hash, view) } : undefined;
}

async function showOne(id: string, { service }: OpenContract, now: number, terminal: Terminal): Promise<Outcome> {
  const about = aboutId(id, await service.state(), await wholeHistory(service), now);
  if (about === undefined) {
    const message = `nothing has the id '${clip(oneLine(id), 80)}'`;
    const fix = "use an id from the list or the history";
    return failed("DIRECTIVE_NOT_FOUND", message, fix, { next: [LIST] });
  }
  const remove = { command: `conduct behavior remove ${id}`, description: "Remove it" };
  const next = "directive" in about && about.inForce ? [remove, LIST] : [LIST];
  return done(about, renderAbout(about, terminal), next);
}

/** A directive or a candidate with its events, the oldest first. */
type About = { readonly events: readonly ContractEvent[] } & (
  | { readonly directive: BehaviorDirective; readonly inForce: boolean }
  | { readonly candidate: Candidate }
);

/** Returns `undefined` if the id was never used. */
export function aboutId(
  id: string,
  state: ContractState,
  history: readonly ContractEvent[],
  now: number,
): About | undefined {
  const events = history.filter((event) => idsIn(event).includes(id));
  const candidate = state.candidates.get(id);
  if (candidate !== undefined) return { candidate: candidateAt(candidate, now), events };
  const current = [...state.scopes].flatMap(([, scope]) => scope.directives).find((one) => one.id === id);
  const directive = current ?? events.flatMap(directivesIn).find((one) => one.id === id);
  return directive && { directive, inForce: current !== undefined, events };
}

export function renderAbout(about: About, { paint }: Terminal): string {
  const one = "directive" in about ? about.directive : about.candidate;
  const own: Partial<BehaviorDirective> = "directive" in about ? about.directive : {};
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["state", "directive" in about ? (about.inForce ? "in force" : "not in force") : about.candidate.status],
    ["scope", one.scope],
    ["since", stamp(one.createdAt)],
    ["until", one.expiresAt && stamp(one.expiresAt)],
    ["measured", own.check && writeCheck(own.check)],
    ["source", own.source],
    ["message", own.message && `${own.message.id}, line ${own.message.line}`],
    ["candidate", own.candidate],
    ["confidence", one.confidence === undefined ? undefined : `${Math.round(one.confidence * 100)} %`],
    ...(one.evidence ?? []).map((evidence) => ["evidence", `“${evidence}”`] as const),
  ];
  return [
    `\n  ${paint("bold", oneLine(one.id))}  ${keyword(one.type, paint)} ${oneLine(one.text)}\n\n`,
    ...rows.map(([name, value]) =>
      value === undefined ? "" : `    ${paint("dim", name.padEnd(10))}  ${oneLine(value)}\n`,
    ),
    "\n",
    ...about.events.map(
      (event) =>
        `    ${`v${event.seq}`.padEnd(6)}  ${paint("dim", stamp(event.at))}  ${oneLine(`${describeEvent(event)} · ${event.by}`)}\n`,
    ),
    "\n",
  ].join("");
}

function idsIn(event: ContractEvent): readonly string[] {
  if (event.kind === "candidate-proposed") return [event.candidate.id];
  if (event.kind === "candidates-expired") return event.ids;
  const named = [...("id" in event ? [event.id] : []), ...("of" in event ? [event.of] : [])];
  return [...named, ...directivesIn(event).map(({ id }) => id)];
}

function directivesIn(event: ContractEvent): readonly BehaviorDirective[] {
  switch (event.kind) {
    case "directive-added":
    case "candidate-promoted":
      return [event.directive, ...event.absorbed];
    case "directive-replaced":
      return [event.directive, event.removed, ...event.absorbed];
    case "directive-removed":
      return [event.directive];
    case "directives-expired":
      return event.directives;
    case "contract-applied":
      return event.dropped.map(({ directive }) => directive);
    case "contract-undone":
      return [...event.restored, ...event.dropped];
    default:
      return [];
  }
}
