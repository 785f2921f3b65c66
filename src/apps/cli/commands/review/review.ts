import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { errorText } from "../../../../base/kernel/error-text.ts";
import type { Candidate, ContractEvent } from "../../../../base/words/contract.ts";
import { renderContract } from "../../../../behavior/contract/active-contract.ts";
import { candidateAt, isOpen } from "../../../../behavior/contract/candidates.ts";
import type { ChangeDecision } from "../../../../behavior/contract/decide/change-request.ts";
import { writeDirective } from "../../../../behavior/contract/parse/directive-form.ts";
import { buildDigest } from "../../../learning/digest/digest.ts";
import { renderDigest } from "../../../learning/digest/digest-markdown.ts";
import { readEvidence } from "../../../learning/review/evidence.ts";
import { pastRuns } from "../../../learning/review/past-runs.ts";
import { describeEvent } from "../../../shared/contract-words.ts";
import { clip, oneLine, plural, wrap } from "../../../shared/printable.ts";
import type { ReviewDigestArgs, ReviewListArgs, ReviewShowArgs } from "../../declared/contract-commands.ts";
import { badArgument, done, failed, type NextAction } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { damaged, type GovernanceCommand, thisMachine, withContract } from "../../stores/with-contract.ts";
import { renderBlock, spoken, stamp } from "../behavior/render.ts";

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
      await writeFile(path, markdown);
    } catch (error) {
      const message = `${path} cannot be written: ${errorText(error)}`;
      return badArgument(message, "name a file that can be", "FILE_NOT_WRITTEN");
    }
    const text = `\n  ${terminal.paint("green", "✓")} written to ${path}\n\n`;
    return done({ ...result, file: path }, text, [LIST_CANDIDATES]);
  });

/** `conduct review show ID` */
export const reviewShow: GovernanceCommand<ReviewShowArgs> = (args, terminal, world = thisMachine()) =>
  withContract(world, "read", async ({ service }) => {
    const { id } = args;
    if (id === undefined) return badArgument("no candidate is named", "conduct review list", "MISSING_CANDIDATE_ID");
    const state = await service.state();
    if (state.fault !== undefined) return damaged(state.fault);
    const stored = state.candidates.get(id);
    if (stored === undefined) {
      const message = `no candidate has the id '${oneLine(id).slice(0, 80)}'`;
      return failed("CANDIDATE_NOT_FOUND", message, "take one from the list", { next: [LIST_CANDIDATES] });
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
          { command: `conduct behavior promote ${id}`, description: "Put it into force" },
          { command: `conduct behavior reject ${id}`, description: "Decide against it" },
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
    `  ${paint("bold", "evidence, word for word")}\n`,
    ...evidence.map(({ quote, session, event }) => {
      const lines = wrap(quote, columns - 8).map((line) => `    ${paint("dim", "│")} ${line}\n`);
      const link =
        event === undefined
          ? ""
          : `      ${paint("dim", `${oneLine(session ?? "")} ·`)} ${spoken(`conduct why ${oneLine(event)}`, invocation)}\n`;
      return `${lines.join("")}${link}`;
    }),
    would === undefined ? "" : `\n  ${paint("bold", "what it would change")}\n${wouldText(would, terminal)}`,
    `\n  ${paint("bold", "what became of it")}\n`,
    ...history.map(
      (event) =>
        `    ${paint("dim", stamp(event.at))}  ${oneLine(describeEvent(event))}  ${paint("dim", `by ${oneLine(event.by)}`)}\n`,
    ),
    "\n",
  ].join("");
}

function wouldText(would: ChangeDecision, { paint, columns }: Terminal): string {
  if (would.kind === "refused") {
    const [first = "", ...more] = wrap(would.message, columns - would.code.length - 8);
    const indent = " ".repeat(would.code.length + 8);
    return `    ${paint("red", `✗ ${would.code}`)}  ${first}\n${more.map((line) => `${indent}${line}\n`).join("")}`;
  }
  const block = renderContract(would.contract);
  return block === "" ? "    nothing would be told any more\n" : renderBlock(block, paint);
}

export const LIST_CANDIDATES: NextAction = {
  command: "conduct review list",
  description: "What waits for a decision",
};

/** `conduct review list [--all]` */
export const reviewList: GovernanceCommand<ReviewListArgs> = (args, terminal, world = thisMachine()) =>
  withContract(world, "read", async ({ service }) => {
    const state = await service.state();
    const now = world.clock.now();
    const known = [...state.candidates].map(([, one]) => candidateAt(one, now));
    const shown = known
      .filter((one) => args.all === true || isOpen(one))
      .sort((a, b) => Number(isOpen(b)) - Number(isOpen(a)) || b.confidence - a.confidence);
    if (state.fault !== undefined) return damaged(state.fault, { candidates: shown });
    const [first] = shown.filter(isOpen);
    const next: readonly NextAction[] =
      first === undefined
        ? [{ command: "conduct review run", description: "Look at what happened since the last review" }]
        : [
            { command: `conduct review show ${first.id}`, description: "Its evidence, and what it would change" },
            { command: `conduct behavior promote ${first.id}`, description: "Put it into force" },
            { command: `conduct behavior reject ${first.id}`, description: "Decide against it" },
          ];
    return done({ candidates: shown }, renderList(shown, known.length, terminal), next);
  });

function renderList(candidates: readonly Candidate[], known: number, terminal: Terminal): string {
  const { paint, invocation } = terminal;
  const open = candidates.filter(isOpen).length;
  if (candidates.length === 0) {
    const why =
      known === 0
        ? "The review reads what people say to agents and what rules decide, once a day, and proposes directives."
        : `${plural(known, "candidate")} were decided on: ${spoken("conduct review list --all", invocation)}`;
    return `\n  nothing waits for a decision\n\n  ${why}\n  now: ${spoken("conduct review run", invocation)}\n\n`;
  }
  const rows = candidates.map((one) => renderCandidate(one, terminal)).join("\n");
  const how = `  ${paint("dim", "evidence:")} ${spoken("conduct review show ID", invocation)}   ${paint("dim", "decide:")} ${spoken("conduct behavior promote | reject | edit | snooze ID", invocation)}\n`;
  return `\n  ${paint("bold", `${plural(open, "candidate")} to decide on`)}\n\n${rows}\n${open === 0 ? "" : how}\n`;
}

function renderCandidate(candidate: Candidate, { paint, columns }: Terminal): string {
  const { id, confidence, scope, evidence, expiresAt, demotes, origin } = candidate;
  const line = `${demotes === undefined ? "" : "drop "}${writeDirective(candidate)}`;
  const quotes = plural(evidence.length, "quote");
  const state = stateText(candidate, expiresAt);
  const facts = [id, `confidence ${confidence.toFixed(2)}`, scope, quotes, origin?.pattern, state];
  const blocked = candidate.status === "pending" ? candidate.blocked : undefined;
  return [
    `    ${bar(confidence)}  ${clip(oneLine(line), columns - 12)}\n`,
    `           ${paint("dim", oneLine(facts.filter((fact) => fact !== undefined).join(" · ")))}\n`,
    blocked === undefined ? "" : `           ${paint("amber", "blocked:")} ${clip(oneLine(blocked), columns - 21)}\n`,
  ].join("");
}

function stateText(candidate: Candidate, expiresAt: string): string {
  switch (candidate.status) {
    case "pending":
      return `until ${stamp(expiresAt)}`;
    case "snoozed":
      return `put off until ${stamp(candidate.until)}`;
    case "promoted":
      return `promoted as ${candidate.directive}`;
    case "rejected":
      return `rejected: ${candidate.reason}`;
    case "expired":
      return "expired";
  }
}

/** The confidence as a bar; the number is shown below. */
function bar(confidence: number): string {
  const full = Math.round(confidence * 5);
  return `${"▮".repeat(full)}${"▯".repeat(5 - full)}`;
}
