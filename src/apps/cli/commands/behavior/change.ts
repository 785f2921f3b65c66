import type { EventJournal } from "../../../../base/ports/stores/event-journal.ts";
import type { ContractScope } from "../../../../base/words/contract.ts";
import { contractFor, renderContract } from "../../../../behavior/contract/active-contract.ts";
import type { ChangeDecision } from "../../../../behavior/contract/decide/change-request.ts";
import { writeCheck } from "../../../../behavior/contract/directive-check.ts";
import { writeDirective } from "../../../../behavior/contract/parse/directive-form.ts";
import { viewOf } from "../../../../behavior/contract/scopes.ts";
import type { ContractService } from "../../../../engine/governance/contract-service.ts";
import { activeSessions } from "../../../../engine/journal/active-sessions.ts";
import { hang, oneLine } from "../../../shared/printable.ts";
import type { ChangeArgs } from "../../declared/contract-commands.ts";
import { done, failed, refuseAgent } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { type GovernanceCommand, LIST, thisMachine, withContract } from "../../stores/with-contract.ts";
import { type ChangeName, changeRequest } from "./change-request.ts";
import { changedDirectives, pastState } from "./contracts.ts";
import { renderBlock, renderDiffLines, sessionsOf, spoken, stamp, versionText } from "./render.ts";

type Accepted = Extract<ChangeDecision, { readonly kind: "accepted" }>;
type Refused = Extract<ChangeDecision, { readonly kind: "refused" }>;

/**
 * `conduct behavior add | replace | remove | promote | reject | edit | snooze | helpful | harmful | check | apply |
 * undo`: asks the contract's only writer for the change and shows the result.
 */
export const changeCommand =
  (name: ChangeName): GovernanceCommand<ChangeArgs> =>
  async (args, terminal, world = thisMachine()) => {
    const around = await world.inside();
    if (around !== undefined) {
      const refused = refuseAgent(around, "only a person can change the contract", `conduct behavior ${name}`);
      return { ...refused, next: [LIST] };
    }
    const now = world.clock.now();
    const request = await changeRequest(name, args, now, () => world.piped());
    if ("ok" in request) return request;
    const dryRun = args["dry-run"] === true;
    return withContract(world, "write", async ({ service, events }) => {
      const decision = await service.change(request, await world.by(), { dryRun });
      if (decision.kind === "refused") return { ...refusal(decision, terminal), result: { dryRun } };
      const described = await describeChange(decision, service, dryRun, now);
      // The number of active sessions that see the change from their next turn on.
      const active = events === undefined ? undefined : await countActive(events, described.scope, now);
      const change = { ...described, active };
      return done(change, renderChange(change, decision, terminal), dryRun ? [] : decision.next);
    });
  };

type ShownChange = Awaited<ReturnType<typeof describeChange>> & { readonly active: number | undefined };

/** A change as JSON: directives added and removed in every scope, and the block after the change. */
async function describeChange(decision: Accepted, service: ContractService, dryRun: boolean, now: number) {
  const { outcome, events, state, directive, candidate, warnings } = decision;
  const [first] = events;
  // The state right before this change, even if others wrote in the meantime.
  const before = first === undefined ? state : (await pastState(service, { seq: first.seq - 1 })).state;
  const undone = events.flatMap((event) =>
    event.kind === "contract-undone" ? [...event.restored, ...event.dropped] : [],
  );
  const scope = (directive ?? candidate ?? undone[0])?.scope ?? "global";
  const from = contractFor(before, viewOf(scope), now);
  const contract = contractFor(state, viewOf(scope), now);
  return {
    ...{ outcome, dryRun, scope, directive, candidate, contract },
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

/** Returns `undefined` on failure: the change is made even if its sessions cannot be counted. */
async function countActive(events: EventJournal, scope: ContractScope, now: number): Promise<number | undefined> {
  return activeSessions(events, now, viewOf(scope)).then(
    ({ length }) => length,
    () => undefined,
  );
}

/** Renders the change, when it takes effect and how to undo it. */
function renderChange(change: ShownChange, { next }: Pick<Accepted, "next">, terminal: Terminal): string {
  const { paint, invocation } = terminal;
  const { diff, dryRun, warnings, block, contract, scope, active } = change;
  const moved = diff.added.length + diff.removed.length > 0;
  const head = moved
    ? `  contract ${paint("bold", versionText(diff.from))} → ${paint("bold", versionText(diff.to))}\n`
    : `  contract ${paint("bold", versionText(contract))}, unchanged\n`;
  const undo = next.find(({ command }) => command.endsWith(" undo"));
  const tail = dryRun
    ? `\n${block === "" ? "    the block would be empty\n" : renderBlock(block, paint)}\n  ${paint("amber", "nothing was written")}: agents would read this\n`
    : moved
      ? `  In force from the next turn of ${sessionsOf(scope)}${active === undefined ? "" : ` (${active} active)`}.${undo === undefined ? "" : `   undo: ${spoken(undo.command, invocation)}`}\n`
      : next
          .map((one) => `  ${paint("dim", `${oneLine(one.description)}:`)}  ${spoken(one.command, invocation)}\n`)
          .join("");
  return [
    "\n",
    `  ${dryRun ? `${paint("amber", "○")} dry run: ` : `${paint("green", "✓")} `}${oneLine(sentence(change))}\n`,
    head,
    renderDiffLines(diff, paint),
    ...warnings.map(({ message }) => `  ${paint("amber", "!")} ${oneLine(message)}\n`),
    tail,
    "\n",
  ].join("");
}

function sentence({ outcome, directive, candidate, events }: ShownChange): string {
  const said = directive === undefined ? "" : ` '${writeDirective(directive)}' (${directive.id})`;
  const proposed = candidate?.id ?? "the candidate";
  switch (outcome) {
    case "repeated":
      return `already in force:${said}`;
    case "absorbed":
      return `already covered by${said}`;
    case "promoted":
      return `${proposed} accepted:${said}`;
    case "rejected":
      return `${proposed} is rejected${candidate?.status === "rejected" ? `: ${candidate.reason}` : ""}`;
    case "edited":
      return `${proposed} now says: '${candidate === undefined ? "" : writeDirective(candidate)}'`;
    case "snoozed":
      return `${proposed} snoozed${candidate?.status === "snoozed" ? ` until ${stamp(candidate.until)}` : ""}`;
    case "marked":
      return `recorded for${said}`;
    case "checked":
      return directive?.check === undefined
        ? `no longer measured:${said}`
        : `now measured by '${writeCheck(directive.check)}':${said}`;
    case "applied": {
      const dropped = events.flatMap((event) => (event.kind === "contract-applied" ? event.dropped : []));
      const expired = events.flatMap((event) => (event.kind === "directives-expired" ? event.directives : []));
      const gone = [
        ...expired.map((one) => `removed '${writeDirective(one)}' (${one.id}), which has expired`),
        ...dropped.map(({ directive: one, sameAs }) => `removed ${one.id}, which says the same as ${sameAs}`),
      ];
      return `checked again: ${gone.length === 0 ? "nothing to change" : gone.join("; ")}`;
    }
    case "undone":
      return "change undone";
    default: {
      const end =
        directive?.expiresAt === undefined || outcome === "removed" ? "" : `, until ${stamp(directive.expiresAt)}`;
      return `${outcome}:${said}${end}`;
    }
  }
}

export function refusal({ code, message, fix, next }: Refused, { paint, columns, invocation }: Terminal) {
  const lines = [
    ...hang(`  ${paint("red", `✗ ${code}`)}  `, message, columns),
    `    ${paint("dim", "try:")} ${oneLine(fix)}`,
    ...next.map((one) => `    ${paint("dim", `${oneLine(one.description)}:`)}  ${spoken(one.command, invocation)}`),
  ];
  return failed(code, message, fix, { next, text: `\n${lines.join("\n")}\n\n` });
}
