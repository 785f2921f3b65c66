import { errorText } from "../../base/kernel/error-text.ts";
import type { BehaviorDirective } from "../../base/words/contract.ts";
import type { Sender } from "../../base/words/hosting/channel.ts";
import { allDirectives } from "../../behavior/contract/contract-state.ts";
import type { ChangeDecision, ChangeRequest } from "../../behavior/contract/decide/change-request.ts";
import { type Keywords, writeDirective } from "../../behavior/contract/parse/directive-form.ts";
import { type ParsedDirective, parseDirectives } from "../../behavior/contract/parse/parse-directives.ts";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import type { ContractService } from "../governance/contract-service.ts";
import { STANDING_POLICY } from "../governance/standing-rules.ts";
import { agentName, emit, type SessionContext, viewOf } from "../session/session-context.ts";
import type { IncomingMessage } from "../session/session-options.ts";
import { contractView } from "./contract-of-turn.ts";

/** What Conduct says to a message about the contract. With `reply` the model is not called. */
export type ContractAnswer = { readonly notes: readonly string[]; readonly reply?: string };

/** The reply to a message in which every directive is in force. */
export const NOTED = "Noted.";

const NOTHING: ContractAnswer = { notes: [] };

type Given = Omit<IncomingMessage, "text">;

/**
 * Answers `/contract` and questions for the rules, and captures the directives of an operator's own message. Never
 * rejects: a note or the reply reports each directive that was not stored.
 */
export async function answerContractMessage(
  context: SessionContext,
  text: string,
  message: Given,
): Promise<ContractAnswer> {
  const { contracts } = context.ports;
  const { sender = context.sender } = message;
  if (contracts === undefined || sender === undefined || context.parent !== undefined) return NOTHING;
  const command = COMMAND.exec(text);
  if (command !== null) return { notes: [], reply: await runCommand(context, contracts, command[1] ?? "", sender) };
  if (isQuestionForRules(text) && mayRead(context, sender))
    return { notes: [], reply: await describeContract(context, contracts) };
  return captureDirectives(context, contracts, text, { ...message, sender });
}

const COMMAND = /^\s*\/contract(?:@\w{1,64})?(?:\s+([\s\S]*))?$/i;
const HELP =
  "Use /contract, /contract replace ID KEYWORD: text, /contract remove ID or /contract undo. /contract shows the ids.";

const RULES = "(?:rules|directives|standing (?:rules|directives|orders)|behaviou?r contract)";
const ENDING =
  "(?: (?:(?:that|which) (?:are|is) )?(?:in force|active|set))?(?: (?:for you|here|please|(?:right )?now|currently|today|at the moment))*";
/** The whole message is such a question; "the rules" alone may be those of a game. */
const QUESTIONS: readonly RegExp[] = [
  `(?:what|which)(?: are|'re|'s| is)? (?:all )?(?:of )?(?:my|your|our)(?: current| active)* ${RULES}${ENDING}`,
  `(?:show|list|tell|give|print)(?: me)? (?:all )?(?:of )?(?:my|your|our)(?: current| active)* ${RULES}${ENDING}`,
  `(?:what|which) (?:of my )?${RULES} (?:are (?:in force|active|set)|do you (?:follow|have)|have i (?:set|given you))${ENDING}`,
].map((form) => new RegExp(`^(?:please )?(?:(?:can|could|would) you )?(?:please )?${form}$`));

function isQuestionForRules(text: string): boolean {
  if (text.length > 200) return false;
  const plain = text
    .toLowerCase()
    .replaceAll("’", "'")
    .replace(/[\s,]+/g, " ");
  const words = plain.trim().replace(/[\s?.!]+$/, "");
  return QUESTIONS.some((question) => question.test(words));
}

/** In a terminal, the person owns the account. A hosted user sees no directive of the operator's. */
function mayRead(context: SessionContext, { role }: Sender): boolean {
  return role === "operator" || (role === "user" && viewOf(context).channel === "cli");
}

async function runCommand(
  context: SessionContext,
  contracts: ContractService,
  written: string,
  sender: Sender,
): Promise<string> {
  const [, name = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(written.trim()) ?? [];
  if (name === "")
    return mayRead(context, sender) ? describeContract(context, contracts) : "Only an operator can see the contract.";
  const request = requestOf(name.toLowerCase(), rest.trim(), contracts.keywords);
  if (typeof request === "string") return request;
  if (sender.role !== "operator") return "Nothing was changed: only an operator can change the contract.";
  try {
    const decision = await contracts.change(request, writerOf(context, sender));
    if (decision.kind === "refused") return `Nothing was changed. ${refusalText(decision, directiveOf(request))}`;
    const { contract, directive, outcome } = decision;
    const what = directive === undefined ? "" : ` '${writeDirective(directive)}' (${directive.id})`;
    return `Contract changed: ${outcome}${what}. ${inForceText(contract)}`;
  } catch (error) {
    return `Nothing was changed, because the contract could not be stored: ${errorText(error)}`;
  }
}

/** The requested change, or what is wrong with the command. */
function requestOf(name: string, rest: string, keywords: Keywords | undefined): ChangeRequest | string {
  const [, id = "", line = ""] = /^(\S*)\s*([\s\S]*)$/.exec(rest) ?? [];
  if (name === "undo" && rest === "") return { kind: "undo" };
  if (name === "remove" && id !== "" && line === "") return { kind: "remove", id };
  if (name !== "replace" || id === "") return `Nothing was changed: '/contract ${name}' is not a command. ${HELP}`;
  const { directives, faults } = parseDirectives(line, { keywords });
  const [directive, ...more] = directives;
  if (directive !== undefined && more.length === 0 && !line.includes("\n"))
    return { kind: "replace", id, type: directive.type, text: directive.text };
  return `Nothing was changed. ${faults[0]?.hint ?? "The new directive needs the form 'STOP: long reports'."} ${HELP}`;
}

function directiveOf(request: ChangeRequest) {
  return request.kind === "replace" ? request : undefined;
}

/** Lists directives and rules with their ids. */
async function describeContract(context: SessionContext, contracts: ContractService): Promise<string> {
  try {
    const state = await contracts.state();
    if (state.fault !== undefined)
      return `The governance journal is damaged (${state.fault.message}). Run: conduct journal repair`;
    const contract = contracts.of(state, contractView(context));
    const { directives } = contract;
    const lines = directives.map((one) => `- ${writeDirective(one)} (${placeOf(one)})`);
    const policies = context.agentOf(agentName(context)).agent.policies.filter((one) => one instanceof RulesPolicy);
    const rules = policies.flatMap(({ name, rules: { ruleSet } }) =>
      ruleSet.rules.map(({ id }) => (name === STANDING_POLICY ? `${id} (standing)` : id)),
    );
    return [
      directives.length === 0 ? "The contract has no directives." : `${inForceText(contract)}\n${lines.join("\n")}`,
      rules.length === 0
        ? `${agentName(context)} has no rules.`
        : `Rules of ${agentName(context)}: ${rules.join(", ")}`,
      "To add a directive, send a line such as 'STOP: long reports'. To change one: /contract replace ID KEYWORD: text, /contract remove ID, /contract undo",
    ].join("\n\n");
  } catch (error) {
    return `The contract cannot be read now: ${errorText(error)}`;
  }
}

function placeOf({ id, scope, createdAt, expiresAt, message }: BehaviorDirective): string {
  const until = expiresAt === undefined ? undefined : `until ${expiresAt}`;
  const from = message && `from message ${message.id}`;
  const parts = [id, scope === "global" ? undefined : scope, `since ${createdAt.slice(0, 10)}`, from, until];
  return parts.filter((part) => part !== undefined).join(", ");
}

function inForceText({ version, hash }: { readonly version: number; readonly hash: string }): string {
  return `In force: contract v${version} ${hash.slice(0, 6)}.`;
}

function writerOf(context: SessionContext, { id, user }: Sender): string {
  return `${viewOf(context).channel}:${id ?? user ?? "operator"}`;
}

type Refused = Extract<ChangeDecision, { readonly kind: "refused" }>;

/** Why, and the message that makes the change after all. */
function refusalText(
  { message, fix, code, against = [], state }: Refused,
  wanted: Pick<ParsedDirective, "type" | "text"> | undefined,
): string {
  const [first, ...more] = against;
  if (code === "BEHAVIOR_CONFLICT" && first !== undefined && wanted !== undefined) {
    const removals = more.map((id) => `/contract remove ${id}\n`).join("");
    return `${message} To replace it, send:\n${removals}/contract replace ${first} ${writeDirective(wanted)}`;
  }
  if (code !== "BEHAVIOR_CONTRACT_CAP") return `${message} ${fix}`;
  const oldest = allDirectives(state)[0];
  return `${message} ${fix} To remove the oldest, send:\n/contract remove ${oldest?.id ?? "ID"}`;
}

type Added = { readonly inForce: boolean; readonly note: string };

/** Faults that only a directive can have. The model is not asked what the person meant. */
const SPELLING: ReadonlySet<string> = new Set([
  ...["full-width-colon", "space-before-colon", "missing-space", "extra-space", "open-bold"],
  ...["empty-text", "refused-text"],
]);

async function captureDirectives(
  context: SessionContext,
  contracts: ContractService,
  text: string,
  { id, sender, quotedLines }: Given & { readonly sender: Sender },
): Promise<ContractAnswer> {
  const { directives, faults, rest } = parseDirectives(text, { quotedLines, keywords: contracts.keywords });
  if (sender.role !== "operator") {
    for (const { line, ...directive } of directives) {
      const why = `sent by a ${sender.role}`;
      emit(context, { type: "directive", outcome: "not-operator", line, text: writeDirective(directive), why });
    }
    return directives.length === 0 || sender.role !== "user"
      ? NOTHING
      : { notes: ["The contract was not changed: only an operator's directives are added."] };
  }
  const added: Added[] = [];
  for (const directive of directives) added.push(await addDirective(context, contracts, directive, id, sender));
  const missed: string[] = [];
  for (const { line, code, hint } of faults) {
    missed.push(`Line ${line}: ${hint}`);
    emit(context, { type: "directive", outcome: "near-miss", line, text: "", code, why: hint });
  }
  const isForConduct =
    directives.length + faults.length > 0 &&
    faults.every(({ code }) => SPELLING.has(code)) &&
    withoutFaults(rest, text, faults) === "";
  if (!isForConduct) return { notes: [...added.map(({ note }) => note), ...missed] };
  const inForce = added.filter((one) => one.inForce);
  const refused = [...added.filter((one) => !one.inForce).map(({ note }) => note), ...missed];
  const notes = inForce.map(({ note }) => note);
  if (refused.length === 0) return { notes, reply: NOTED };
  const count = added.length + missed.length;
  const summary = inForce.length === 0 ? "Nothing was changed." : `Only ${inForce.length} of ${count} were added.`;
  return { notes, reply: [summary, ...refused].join("\n\n") };
}

/** The message without its directives and without the lines at fault. */
function withoutFaults(rest: string, text: string, faults: readonly { readonly line: number }[]): string {
  const lines = text.split(/\r\n|\n|\r/);
  const wrong = new Set(faults.map(({ line }) => lines[line - 1]));
  return rest
    .split(/\r\n|\n|\r/)
    .filter((line) => !wrong.has(line))
    .join("")
    .trim();
}

async function addDirective(
  context: SessionContext,
  contracts: ContractService,
  { type, text, line }: ParsedDirective,
  id: string | undefined,
  sender: Sender,
): Promise<Added> {
  const written = writeDirective({ type, text });
  const message = id === undefined ? undefined : { id, line };
  try {
    const decision = await contracts.change({ kind: "add", type, text, message }, writerOf(context, sender));
    if (decision.kind === "refused") {
      const { code, message: why } = decision;
      emit(context, { type: "directive", outcome: "refused", line, text: written, code, why });
      return { inForce: false, note: `${written}: not added (${code}). ${refusalText(decision, { type, text })}` };
    }
    const { outcome, contract, directive, warnings } = decision;
    const { version, hash } = contract;
    const result = outcome === "repeated" || outcome === "absorbed" ? outcome : "added";
    emit(context, { type: "directive", outcome: result, line, text: written, version, hash, directive: directive?.id });
    if (result !== "added" && directive === undefined) {
      const note = `${written}: this message added it before, and it is no longer in force. To add it again, send a new message.`;
      return { inForce: false, note };
    }
    if (result === "repeated") return { inForce: true, note: `${written}: already in force.` };
    const more = warnings.map(({ message }) => ` ${message}`).join("");
    if (result === "absorbed") return { inForce: true, note: `${written}: already in force.${more}` };
    const note = `${written}: in force from now on, contract v${version} ${hash.slice(0, 6)}.${more} Undo: /contract undo`;
    return { inForce: true, note };
  } catch (error) {
    const why = errorText(error);
    const code = "GATEWAY_BEHAVIOR_FAILED";
    emit(context, { type: "directive", outcome: "refused", line, text: written, code, why });
    return { inForce: false, note: `${written}: not added, because it could not be stored: ${why}` };
  }
}
