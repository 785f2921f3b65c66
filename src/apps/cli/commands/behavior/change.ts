import type { EventJournal } from "../../../../base/ports/stores/event-journal.ts";
import type { BehaviorDirective, ContractScope } from "../../../../base/words/contract.ts";
import { contractFor } from "../../../../behavior/contract/active-contract.ts";
import type { ContractState } from "../../../../behavior/contract/contract-state.ts";
import type { ChangeDecision } from "../../../../behavior/contract/decide/change-request.ts";
import type { ContractDiff } from "../../../../behavior/contract/diff-contracts.ts";
import { renderContract } from "../../../../behavior/contract/render-contract.ts";
import { viewOf } from "../../../../behavior/contract/scopes.ts";
import type { AgentAround } from "../../../../edge/host/trust/inside-agent.ts";
import type { ContractService } from "../../../../engine/governance/contract-service.ts";
import { activeSessions } from "../../../../engine/journal/active-sessions.ts";
import type { Arguments, CommandBody } from "../../line/command.ts";
import type { Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { LIST } from "./answers.ts";
import { renderChange, renderRefusal } from "./render/render-change.ts";
import { type ChangeName, changeRequest } from "./request.ts";
import { changedDirectives } from "./views/contracts.ts";
import { pastState } from "./views/past.ts";
import { type GovernanceWorld, onThisMachine, withContract } from "./world.ts";

type Accepted = Extract<ChangeDecision, { readonly kind: "accepted" }>;

/** `conduct behavior add | replace | remove | promote | reject | edit | snooze | helpful | harmful | check | apply | undo` */
export function changeCommand(name: ChangeName): CommandBody {
  return onThisMachine((args, terminal, world) => runChange(name, args, terminal, world));
}

/** Asks the one writer for the change and shows what came of it. */
export async function runChange(
  name: ChangeName,
  args: Arguments,
  terminal: Terminal,
  world: GovernanceWorld,
): Promise<Outcome> {
  const around = await world.inside();
  if (around !== undefined) return refuseAgent(around, name);
  const now = world.clock.now();
  const request = await changeRequest(name, args, now, () => world.piped());
  if ("ok" in request) return request;
  const dryRun = args["dry-run"] === true;
  return withContract(world, dryRun ? "read" : "write", async ({ service, events }) => {
    const decision = await service.change(request, await world.by(), { dryRun });
    if (!dryRun) await world.tell(decision);
    if (decision.kind === "refused") {
      const { code, message, fix, next } = decision;
      return { ok: false, code, message, fix, next, result: { dryRun }, text: renderRefusal(decision, terminal) };
    }
    const described = await describeChange(decision, service, dryRun, now);
    const active = events === undefined ? undefined : await countActive(events, described.scope, now);
    const change = { ...described, ...(active === undefined ? {} : { active }) };
    const { next } = decision;
    return { ok: true, result: change, text: renderChange(change, decision, terminal), next: dryRun ? [] : next };
  });
}

/** A change for programs: what is told more and no longer, in every scope, and the block as it is then. */
export type ShownChange = {
  readonly outcome: Accepted["outcome"];
  readonly dryRun: boolean;
  readonly scope: ContractScope;
  readonly directive?: BehaviorDirective;
  readonly candidate?: Accepted["candidate"];
  readonly contract: Accepted["contract"];
  readonly block: string;
  readonly diff: ContractDiff;
  /** How many sessions are active that it is told to from their next turn on. */
  readonly active?: number;
  readonly warnings: Accepted["warnings"];
  readonly events: Accepted["events"];
};

async function describeChange(
  decision: Accepted,
  service: ContractService,
  dryRun: boolean,
  now: number,
): Promise<ShownChange> {
  const { outcome, events, state, directive, candidate, warnings } = decision;
  const before = await stateBefore(decision, service);
  const scope = scopeOf(decision);
  const [from, contract] = [before, state].map((one) => contractFor(one, viewOf(scope), now));
  if (from === undefined || contract === undefined) throw new Error("a change has a contract before and after it");
  return {
    ...{ outcome, dryRun, scope },
    ...(directive === undefined ? {} : { directive }),
    ...(candidate === undefined ? {} : { candidate }),
    contract,
    block: renderContract(contract),
    diff: {
      from: { version: from.version, hash: from.hash },
      to: { version: contract.version, hash: contract.hash },
      same: from.hash === contract.hash,
      ...changedDirectives(before, state),
    },
    warnings,
    events,
  };
}

/** The change is made: that its sessions could not be counted takes nothing of that back. */
async function countActive(events: EventJournal, scope: ContractScope, now: number): Promise<number | undefined> {
  try {
    return (await activeSessions(events, now, viewOf(scope))).length;
  } catch {
    return undefined;
  }
}

/** As it was right before, whoever wrote what meanwhile. */
async function stateBefore({ events: [first], state }: Accepted, service: ContractService): Promise<ContractState> {
  return first === undefined ? state : (await pastState(service, { seq: first.seq - 1 })).state;
}

function scopeOf({ directive, candidate, events }: Accepted): ContractScope {
  const undone = events.flatMap((event) =>
    event.kind === "contract-undone" ? [...event.restored, ...event.dropped] : [],
  );
  return (directive ?? candidate ?? undone[0])?.scope ?? "global";
}

function refuseAgent({ agent, sign }: AgentAround, name: ChangeName): Outcome {
  return {
    ok: false,
    code: "INSIDE_AGENT",
    message: `this is run by ${agent} (${sign}), and the contract is a person's to change`,
    fix: `run it yourself, in a terminal of your own: conduct behavior ${name}`,
    next: [LIST],
  };
}
