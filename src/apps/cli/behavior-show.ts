import type { ContractView } from "../../base/words/contract.ts";
import { aboutId, renderAbout } from "./behavior-about.ts";
import { badArgument, damaged, HISTORY, LIST } from "./behavior-answers.ts";
import { contractsOf } from "./behavior-contracts.ts";
import { type Point, pastState, versionsOf, wholeHistory } from "./behavior-past.ts";
import { noSuchVersion, readInstant, readVersion } from "./behavior-point.ts";
import { renderContracts } from "./behavior-render-contracts.ts";
import { readView } from "./behavior-view.ts";
import { type GovernanceCommand, type OpenContract, onThisMachine, textOf, withContract } from "./behavior-world.ts";
import type { Outcome } from "./outcome.ts";
import { clip, oneLine } from "./printable.ts";
import type { Terminal } from "./terminal.ts";

export const runShow: GovernanceCommand = async (args, terminal, world) => {
  const id = textOf(args.id);
  const view = readView(args);
  if ("ok" in view) return view;
  const seq = readVersion(args.version, "--version");
  const at = readInstant(args.at, "--at");
  for (const wrong of [seq, at]) if (typeof wrong === "object") return wrong;
  const hash = textOf(args.hash)?.toLowerCase();
  if ([id, seq, at, hash].filter((given) => given !== undefined).length > 1) {
    return badArgument("only one of ID, --version, --at and --hash can be asked for", "conduct behavior show --help");
  }
  if (hash !== undefined && !/^[0-9a-f]{6,20}$/.test(hash)) {
    return badArgument(`--hash: '${clip(oneLine(hash), 40)}' is no hash`, "give 6 to 20 of its digits");
  }
  const now = world.clock.now();
  return withContract(world, "read", async (contract) => {
    const { fault } = await contract.service.state();
    if (fault !== undefined) return damaged(fault);
    if (id !== undefined) return showOne(id, contract, now, terminal);
    if (hash !== undefined) return showHash(hash, view, contract, terminal);
    return showAt(typeof seq === "number" ? { seq } : { at: Number(at ?? now) }, view, contract, terminal);
  });
};

/** `conduct behavior show [ID | --at TIME | --version N | --hash HASH]` */
export const behaviorShow = onThisMachine(runShow);

async function showAt(
  point: Point,
  view: ContractView,
  { service, journal }: OpenContract,
  terminal: Terminal,
): Promise<Outcome> {
  const { seq: newest } = await journal.head();
  if ("seq" in point && point.seq > newest) return noSuchVersion(point.seq, newest);
  const { state, now } = await pastState(service, point);
  const shown = contractsOf(state, view, now);
  return { ok: true, result: shown, text: renderContracts(shown, terminal), next: [LIST] };
}

/** The newest version with that hash; `versions` has them all. */
async function showHash(
  hash: string,
  view: ContractView,
  contract: OpenContract,
  terminal: Terminal,
): Promise<Outcome> {
  const versions = await versionsOf(contract.service, hash, view);
  const newest = versions.at(-1);
  if (newest === undefined) {
    const message = `no version had the hash ${hash}`;
    const fix = "name the agent, channel and user of the run too: --agent, --channel, --user";
    return { ok: false, code: "VERSION_NOT_FOUND", message, fix, next: [HISTORY] };
  }
  const { state, now } = await pastState(contract.service, { seq: newest });
  const shown = { ...contractsOf(state, view, now), versions };
  return { ok: true, result: shown, text: renderContracts(shown, terminal), next: [LIST] };
}

async function showOne(id: string, { service }: OpenContract, now: number, terminal: Terminal): Promise<Outcome> {
  const about = aboutId(id, await service.state(), await wholeHistory(service), now);
  if (about === undefined) {
    const message = `nothing has the id '${clip(oneLine(id), 80)}'`;
    const fix = "take an id from the list or the history";
    return { ok: false, code: "DIRECTIVE_NOT_FOUND", message, fix, next: [LIST] };
  }
  const remove = { command: `conduct behavior remove ${id}`, description: "Take it out of the contract" };
  const next = "directive" in about && about.inForce ? [remove, LIST] : [LIST];
  return { ok: true, result: about, text: renderAbout(about, terminal), next };
}
