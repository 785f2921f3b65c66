import { resolve } from "node:path";
import { errorText } from "../../../../base/kernel/error-text.ts";
import type { Candidate, ContractEvent } from "../../../../base/words/contract.ts";
import { renderContract } from "../../../../behavior/contract/active-contract.ts";
import { candidateAt, isOpen } from "../../../../behavior/contract/contract-state.ts";
import type { ChangeDecision } from "../../../../behavior/contract/decide/change-request.ts";
import { writeDirective } from "../../../../behavior/contract/parse/directive-form.ts";
import { buildDigest, renderDigest } from "../../../learning/digest/digest.ts";
import { readEvidence } from "../../../learning/review/evidence.ts";
import { pastRuns } from "../../../learning/review/past-runs.ts";
import { describeEvent } from "../../../shared/contract-words.ts";
import { hang, oneLine, wrap } from "../../../shared/printable.ts";
import type { ReviewDigestArgs, ReviewShowArgs } from "../../declared/contract-commands.ts";
import { badArgument, done, failed } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { damaged, type GovernanceCommand, thisMachine, withContract } from "../../stores/with-contract.ts";
import { renderBlock, spoken, stamp } from "../behavior/render.ts";
import { LIST_CANDIDATES } from "./list.ts";

/** `conduct review digest [--file F]` */
export const reviewDigest: GovernanceCommand<ReviewDigestArgs> = (args, terminal, world = thisMachine()) =>
  withContract(world, "read", async ({ service, journal }) => {
    const state = await service.state();
    if (state.fault !== undefined) return damaged(state.fault);
    const now = world.clock.now();
    const digest = buildDigest(state, now, (await pastRuns(journal)).at(-1));
    const markdown = renderDigest(digest, now);
    const { file } = args;
    const result = { markdown, ...digest };
    if (file === undefined) return done(result, `\n${markdown}\n`, [LIST_CANDIDATES]);
    const path = resolve(terminal.cwd, file);
    try {
      await (await import("node:fs/promises")).writeFile(path, markdown);
    } catch (error) {
      const message = `${path} cannot be written: ${errorText(error)}`;
      return badArgument(message, "choose a writable file", "FILE_NOT_WRITTEN");
    }
    const text = `\n  ${terminal.paint("green", "✓")} written to ${path}\n\n`;
    return done({ ...result, file: path }, text, [LIST_CANDIDATES]);
  });

/** `conduct review show ID` */
export const reviewShow: GovernanceCommand<ReviewShowArgs> = (args, terminal, world = thisMachine()) =>
  withContract(world, "read", async ({ service }) => {
    const { id } = args;
    if (id === undefined) return badArgument("no candidate given", "conduct review list", "MISSING_CANDIDATE_ID");
    const state = await service.state();
    if (state.fault !== undefined) return damaged(state.fault);
    const stored = state.candidates.get(id);
    if (stored === undefined) {
      const message = `no candidate has the id '${oneLine(id).slice(0, 80)}'`;
      return failed("CANDIDATE_NOT_FOUND", message, "use an id from the list", { next: [LIST_CANDIDATES] });
    }
    const candidate = candidateAt(stored, world.clock.now());
    const would = isOpen(candidate)
      ? await service.change({ kind: "promote", id }, await world.by(), { dryRun: true })
      : undefined;
    const history = (await service.events({ limit: Number.POSITIVE_INFINITY })).filter((event) => isAbout(event, id));
    const evidence = candidate.evidence.map((written) => readEvidence(written) ?? { quote: written });
    const text = render(candidate, evidence, would, history.toReversed(), terminal);
    const change =
      would?.kind === "refused"
        ? { refused: { code: would.code, message: would.message } }
        : would && {
            contract: { version: would.contract.version, hash: would.contract.hash },
            block: renderContract(would.contract),
          };
    const next = isOpen(candidate)
      ? [
          { command: `conduct behavior promote ${id}`, description: "Accept it" },
          { command: `conduct behavior reject ${id}`, description: "Reject it" },
          { command: `conduct behavior snooze ${id} 3d`, description: "Decide later" },
        ]
      : [LIST_CANDIDATES];
    return done({ candidate, evidence, would: change, history }, text, next);
  });

function isAbout(event: ContractEvent, id: string): boolean {
  if ("candidate" in event && typeof event.candidate === "object") return event.candidate.id === id;
  if ("ids" in event) return event.ids.includes(id);
  if ("rule" in event) return event.rule.from === id;
  return "id" in event && event.id === id;
}

type Quoted = { readonly quote: string; readonly session?: string; readonly event?: string };

function render(
  candidate: Candidate,
  evidence: readonly Quoted[],
  would: ChangeDecision | undefined,
  history: readonly ContractEvent[],
  terminal: Terminal,
): string {
  const { paint, columns, invocation } = terminal;
  const { id, confidence, scope, origin, demotes, createdAt, expiresAt } = candidate;
  const drop = demotes === undefined ? "" : `drop ${demotes}: `;
  const facts = [
    `confidence ${confidence.toFixed(2)}`,
    scope,
    origin && `${origin.pattern}${origin.subject === undefined ? "" : ` of ${origin.subject}`}`,
    `since ${stamp(createdAt)}`,
    `until ${stamp(expiresAt)}`,
  ];
  return [
    `\n  ${paint("bold", id)}   ${drop}${oneLine(writeDirective(candidate))}\n`,
    `  ${paint("dim", oneLine(facts.filter((fact) => fact !== undefined).join(" · ")))}\n\n`,
    `  ${paint("bold", "evidence (quotes)")}\n`,
    ...evidence.map(({ quote, session, event }) => {
      const lines = wrap(quote, columns - 8).map((line) => `    ${paint("dim", "│")} ${line}\n`);
      const link =
        event === undefined
          ? ""
          : `      ${paint("dim", `${oneLine(session ?? "")} ·`)} ${spoken(`conduct why ${oneLine(event)}`, invocation)}\n`;
      return `${lines.join("")}${link}`;
    }),
    would === undefined ? "" : `\n  ${paint("bold", "effect")}\n${wouldText(would, terminal)}`,
    `\n  ${paint("bold", "history")}\n`,
    ...history.map(
      (event) =>
        `    ${paint("dim", stamp(event.at))}  ${oneLine(describeEvent(event))}  ${paint("dim", `by ${oneLine(event.by)}`)}\n`,
    ),
    "\n",
  ].join("");
}

function wouldText(would: ChangeDecision, { paint, columns }: Terminal): string {
  if (would.kind === "refused") {
    return `${hang(`    ${paint("red", `✗ ${would.code}`)}  `, would.message, columns).join("\n")}\n`;
  }
  const block = renderContract(would.contract);
  return block === "" ? "    the contract would be empty\n" : renderBlock(block, paint);
}
