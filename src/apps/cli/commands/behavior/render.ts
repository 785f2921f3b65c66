import type { ContractsTold, ContractUse, SessionSummary } from "../../../../base/ports/stores/event-journal.ts";
import type { BehaviorDirective, Candidate, ContractScope, DirectiveType } from "../../../../base/words/contract.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";
import { keywordOf } from "../../../../behavior/contract/parse/directive-form.ts";
import { kindOf } from "../../../../behavior/contract/scopes.ts";
import { hang, oneLine, plural } from "../../../shared/printable.ts";
import { asTyped } from "../../line/invocation.ts";
import type { Paint, Style, Terminal } from "../../line/terminal.ts";
import type { ShownContracts } from "./contracts.ts";

/** Runs are collected from at most this many of the newest prompts. */
const MOST_PROMPTS = 1_000;

type Prompt = Extract<ConductEvent, { type: "prompt" }>;

/** One run of a session under a contract: its turns, with the first and last time. */
type Run = Pick<SessionSummary, "session" | "agent" | "user" | "channel"> & {
  readonly run: string;
  readonly version: number;
  readonly turns: number;
  readonly from: number;
  readonly to: number;
};

/** The use of a contract; `runs` come from the newest prompts, the newest first. */
type ToldTo = ContractUse & { readonly runs: readonly Run[] };

/** The prompts with a contract hash; a prefix of the hash is enough. */
export type FoundPrompts = { readonly hash: string; readonly newest: Prompt; readonly runs: readonly Run[] };

/** Returns `undefined` if no stored prompt has the hash. If two hashes match the prefix, the most recently used one. */
export async function findPrompts(told: ContractsTold, digits: string): Promise<FoundPrompts | undefined> {
  const prompts = (await told.prompts(digits, MOST_PROMPTS)).filter((event) => event.type === "prompt");
  const [newest] = prompts;
  const hash = newest?.contract?.hash;
  if (newest === undefined || hash === undefined) return undefined;
  const runs = Map.groupBy(
    prompts.filter(({ contract }) => contract?.hash === hash),
    ({ session, run }) => JSON.stringify([session, run]),
  );
  return { hash, newest, runs: await Promise.all([...runs.values()].map((some) => runOf(some, told))) };
}

async function runOf(prompts: readonly Prompt[], told: ContractsTold): Promise<Run> {
  const [last] = prompts;
  if (last === undefined) throw new Error("a run has a prompt");
  const { user, channel } = (await told.session(last.session)) ?? {};
  const times = prompts.map(({ at }) => at);
  return {
    session: last.session,
    run: last.run,
    agent: last.agent,
    user,
    channel,
    version: last.contract?.version ?? 0,
    turns: new Set(prompts.map(({ turn }) => turn)).size,
    from: Math.min(...times),
    to: Math.max(...times),
  };
}

function renderUse({ prompts, sessions, lastAt }: ContractUse): string {
  if (prompts === 0 || lastAt === undefined) return "  not in any recorded prompt yet\n";
  return `  in ${plural(prompts, "prompt")} of ${plural(sessions, "session")}, last ${stamp(lastAt)}\n`;
}

function renderRuns(runs: readonly Run[]): string {
  return runs
    .slice(0, 20)
    .map(({ session, agent, channel, user, turns, to }) => {
      const where = [agent, channel, user].filter((one) => one !== undefined);
      return `    ${oneLine(session)}  ${oneLine(where.join(" · "))}  ${plural(turns, "turn")}, last ${stamp(to)}\n`;
    })
    .join("");
}

const STYLES: Readonly<Record<DirectiveType, Style>> = {
  keep: "green",
  more: "blue",
  less: "amber",
  stop: "red",
  start: "cyan",
};

/** `v8 91be07`: only both together identify a run. */
export function versionText({ version, hash }: { readonly version: number; readonly hash: string }): string {
  return `v${version} ${hash.slice(0, 6)}`;
}

/** To the minute, in UTC, so that every terminal shows the same. */
export function stamp(time: string | number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace("T", " ")}Z`;
}

export function keyword(type: DirectiveType, paint: Paint): string {
  return paint(STYLES[type], keywordOf(type).padEnd(5));
}

/** One directive as a row of a list; a long text wraps below itself. */
function renderRow(directive: BehaviorDirective, { columns, paint }: Pick<Terminal, "columns" | "paint">): string {
  const { id, type, text, createdAt, expiresAt } = directive;
  const facts = [id, `since ${stamp(createdAt)}`, expiresAt && `until ${stamp(expiresAt)}`, origin(directive)];
  return [
    ...hang(`    ${keyword(type, paint)}  `, text, columns),
    `           ${paint("dim", oneLine(facts.filter((fact) => fact !== undefined).join(" · ")))}`,
    "",
  ].join("\n");
}

function origin({ message, candidate }: BehaviorDirective): string | undefined {
  if (message !== undefined) return `from message ${message.id}, line ${message.line}`;
  return candidate && `promoted from ${candidate}`;
}

/** The block between bars, so that it is not mistaken for the output of the CLI. */
export function renderBlock(block: string, paint: Paint): string {
  return block
    .split("\n")
    .map((line) => `    ${paint("dim", "│")} ${oneLine(line)}\n`)
    .join("");
}

/** Removed and added directives, each with its scope unless it applies to all sessions. */
export function renderDiffLines(
  { added, removed }: { readonly added: readonly BehaviorDirective[]; readonly removed: readonly BehaviorDirective[] },
  paint: Paint,
): string {
  const line = (mark: "+" | "-", { type, text, scope }: BehaviorDirective) =>
    `  ${paint(mark === "+" ? "green" : "red", `${mark} ${keywordOf(type)}: ${oneLine(text)}`)}${scope === "global" ? "" : paint("dim", `   ${oneLine(scope)}`)}\n`;
  return [...removed.map((one) => line("-", one)), ...added.map((one) => line("+", one))].join("");
}

/** Names the sessions of a scope in a sentence. */
export function sessionsOf(scope: ContractScope): string {
  const kind = kindOf(scope);
  const name = oneLine(scope.slice(kind.length + 1));
  if (kind === "global") return "every session";
  return kind === "channel" ? `every session on ${name}` : `every session ${kind === "agent" ? "of" : "with"} ${name}`;
}

/** A command with the name by which the person invoked the CLI. */
export function spoken(command: string, invocation: string): string {
  return oneLine(asTyped(command, invocation));
}

type Shown = ShownContracts & {
  readonly cap?: { readonly directives: number; readonly note?: string };
  readonly told?: ContractUse | ToldTo;
};

/** Renders a contract by scope, with the block below. `fault`: why it may be incomplete. */
export function renderContracts(shown: Shown, terminal: Terminal, fault?: string): string {
  const { paint } = terminal;
  const { version, generatedAt, directives, block, cap, candidates, told, scopes = [] } = shown;
  const own = scopes.flatMap(({ scope, directives: told }) => told.filter((one) => one.scope === scope));
  const all = [...directives, ...own];
  const most = cap === undefined ? "" : `, at most ${cap.directives} in one block`;
  const since = version === 0 ? "" : `  since ${stamp(generatedAt)}`;
  return [
    "\n",
    fault === undefined ? "" : renderFault(fault, terminal),
    `  ${paint("bold", `contract ${versionText(shown)}`)}${forWhom(shown)}${since}  ${plural(all.length, "directive")}${most}\n`,
    told === undefined ? "" : renderUse(told),
    cap?.note === undefined ? "" : `  ${paint("amber", "!")} ${oneLine(cap.note)}\n`,
    "\n",
    all.length > 0
      ? renderScopes(all, terminal)
      : cap === undefined
        ? "    no directives\n\n"
        : fault === undefined
          ? renderEmpty(terminal)
          : "",
    block === ""
      ? ""
      : `  ${paint("bold", scopes.length === 0 ? "what agents read" : "what all agents read")}\n${renderBlock(block, paint)}\n`,
    told === undefined || !("runs" in told) ? "" : `  ${paint("bold", "used in")}\n${renderRuns(told.runs)}\n`,
    candidates.length === 0 ? "" : `  ${paint("bold", "candidates, not in force")}\n`,
    ...candidates.map((candidate) => renderCandidate(candidate, terminal)),
  ].join("");
}

function renderScopes(directives: readonly BehaviorDirective[], terminal: Terminal): string {
  return [...Map.groupBy(directives, ({ scope }) => scope)]
    .map(([scope, own]) => {
      const rows = own.map((directive) => renderRow(directive, terminal)).join("");
      return `  ${terminal.paint("bold", oneLine(scope))}\n${rows}\n`;
    })
    .join("");
}

function renderFault(fault: string, { paint, invocation }: Terminal): string {
  const look = spoken("conduct journal repair --dry-run", invocation);
  return `  ${paint("red", "✗ the journal is damaged")}: ${oneLine(fault)}
    Calls are denied and nothing is written until an operator repairs it. Inspect the damage: ${look}\n\n`;
}

function renderEmpty({ invocation, columns }: Terminal): string {
  const about = "No directives yet. A directive applies from the next turn on, until you remove it. Add one:";
  return `${hang("    ", about, columns).join("\n")}
    ${spoken('conduct behavior add "STOP: long status reports"', invocation)}\n\n`;
}

function renderCandidate(candidate: Candidate, { paint, invocation }: Terminal): string {
  const { id, type, text, confidence, evidence, expiresAt } = candidate;
  const sure = `${Math.round(confidence * 100)} % sure`;
  const facts = [id, sure, `${plural(evidence.length, "piece")} of evidence`, `expires ${stamp(expiresAt)}`];
  const blocked = candidate.status === "pending" ? candidate.blocked : undefined;
  return [
    `    ${keyword(type, paint)}  ${oneLine(text)}\n`,
    `           ${paint("dim", oneLine(facts.join(" · ")))}\n`,
    blocked === undefined ? "" : `           ${paint("amber", "!")} ${oneLine(blocked)}\n`,
    `           ${spoken(`conduct behavior promote ${id}`, invocation)}   or   reject ${oneLine(id)}\n\n`,
  ].join("");
}

function forWhom({ view }: Shown): string {
  const named = Object.entries(view).map(([kind, name]) => `${kind} ${name}`);
  return named.length === 0 ? "" : `  for ${oneLine(named.join(", "))}`;
}
