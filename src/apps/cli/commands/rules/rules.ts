import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { allDirectives } from "../../../../behavior/contract/contract-state.ts";
import type { ChangeDecision, ChangeRequest } from "../../../../behavior/contract/decide/change-request.ts";
import type { AgentAround } from "../../../../edge/host/trust/inside-agent.ts";
import { readStandingRule } from "../../../../engine/governance/standing-rules.ts";
import { orderRule } from "../../../learning/harden/order-rule.ts";
import { ownRule } from "../../../learning/harden/own-rule.ts";
import { knownNames } from "../../../learning/harden/rule-counts.ts";
import { oneLine, quoted } from "../../../shared/printable.ts";
import type { RulesAddArgs, RulesChangeArgs } from "../../declared/contract-commands.ts";
import {
  badArgument,
  done,
  type Failure,
  failed,
  type NextAction,
  type Outcome,
  refuseAgent,
} from "../../line/outcome.ts";
import { askFirst, confirm } from "../../line/person.ts";
import type { Terminal } from "../../line/terminal.ts";
import { type ConfigHere, configHere } from "../../stores/config-here.ts";
import {
  type GovernanceCommand,
  type GovernanceWorld,
  LIST,
  type OpenContract,
  thisMachine,
  withContract,
} from "../../stores/with-contract.ts";
import { refusal } from "../behavior/change.ts";
import { readExpiry } from "../behavior/change-request.ts";
import { spoken, stamp } from "../behavior/render.ts";

type RuleChange = "enforce-rule" | "shadow-rule" | "remove-rule";
type Accepted = Extract<ChangeDecision, { readonly kind: "accepted" }>;

/** The same command, with what was given, without the question. */
function againOf({ id, first, before, file, shadow, scope }: RulesAddArgs): string {
  const options = Object.entries({ first, before, file, shadow, scope }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${quoted(value)}`],
  );
  return ["conduct rules add", ...(id === undefined ? [] : [quoted(id)]), ...options, "--yes"].join(" ");
}

/** `conduct rules enforce | shadow | remove ID` */
export const rulesChange =
  (kind: RuleChange): GovernanceCommand<RulesChangeArgs> =>
  async (args, terminal, world = thisMachine()) => {
    const around = await world.inside();
    if (around !== undefined) return rulesRefused(around, kind.split("-")[0] ?? kind);
    const { id = "", reason } = args;
    const until = readExpiry(args.for, world.clock.now());
    const request =
      kind === "remove-rule" ? { kind, id, reason } : kind === "shadow-rule" ? { kind, id, until } : { kind, id };
    const dryRun = args["dry-run"] === true;
    return withContract(world, "write", async ({ service }) => {
      const decision = await service.change(request, await world.by(), { dryRun });
      if (decision.kind === "refused") return refusal(decision, terminal);
      const text = `\n${renderRuleChange(decision, dryRun, terminal)}`;
      return done({ dryRun, rule: decision.rule }, text, dryRun ? [] : decision.next);
    });
  };

export const rulesEnforce = rulesChange("enforce-rule");
export const rulesShadow = rulesChange("shadow-rule");
export const rulesRemove = rulesChange("remove-rule");

/** The rule's new state, since when it applies and what to do next. */
export function renderRuleChange(
  { rule, outcome }: Accepted,
  dryRun: boolean,
  { paint, invocation }: Terminal,
): string {
  if (rule === undefined) return "";
  const mark = dryRun ? `${paint("amber", "○")} dry run: ` : `${paint("green", "✓")} `;
  const name = `rule ${paint("bold", oneLine(rule.id))} (${oneLine(rule.scope)})`;
  const until = rule.status === "shadow" && rule.until !== undefined ? ` until ${stamp(rule.until)}` : "";
  const enforce = spoken(`conduct rules enforce ${rule.id}`, invocation);
  switch (outcome) {
    case "enforced":
      return `  ${mark}${name} is enforced from the next turn of every session\n    back to shadow mode: ${spoken(`conduct rules shadow ${rule.id}`, invocation)}\n\n`;
    case "removed":
      return `  ${mark}${name} is removed\n\n`;
    default:
      return `  ${mark}${name} is in shadow mode${until}: it only counts what it would have blocked\n    see it: ${spoken("conduct rules list", invocation)}   enforce it: ${enforce}\n\n`;
  }
}

export function rulesRefused(around: AgentAround, name: string): Outcome {
  return refuseAgent(around, "only a person can change rules", `conduct rules ${name}`);
}

type Harden = Extract<ChangeRequest, { readonly kind: "harden" }>;

export type RulesWorld = GovernanceWorld & {
  agents(): Promise<Pick<ConfigHere, "agents" | "config"> | Failure>;
  /** Returns `undefined` if nobody can answer. */
  confirm(question: string): Promise<boolean | undefined>;
};

const LIST_RULES: NextAction = { command: "conduct rules list", description: "Show the shared rules" };

export async function rulesAdd(
  args: RulesAddArgs,
  terminal: Terminal,
  world: RulesWorld = { ...thisMachine(), agents: () => configHere(undefined, terminal), confirm },
): Promise<Outcome> {
  const around = await world.inside();
  if (around !== undefined) return rulesRefused(around, "add");
  const here = await world.agents();
  if ("ok" in here) return here;
  const outcome = await withContract(world, "write", async (open) => {
    const request = await hardenRequest(args, terminal, { ...world, ...here }, open);
    if ("ok" in request) return request;
    const taken = ownRule(here.agents, request.rule);
    if (taken !== undefined) {
      const fix = `give it another id: conduct rules add --file=F${request.from === undefined ? "" : ` ${request.from}`}`;
      return failed("RULE_EXISTS", taken, fix, { result: { rule: request }, next: [LIST_RULES] });
    }
    const dryRun = args["dry-run"] === true;
    const shown = `\n${request.text.replace(/^/gm, "    ").trimEnd()}\n\n`;
    const asked = { yes: dryRun || args.yes, shown, question: "Add this rule, in shadow mode?" };
    const unconfirmed = await askFirst(asked, againOf(args), { rule: request }, terminal, world.confirm);
    if (unconfirmed !== undefined) return { ...unconfirmed, code: "NOT_CONFIRMED", next: [LIST] };
    const decision = await open.service.change(request, await world.by(), { dryRun });
    if (decision.kind === "refused") return refusal(decision, terminal);
    const text = `${args.yes === true || dryRun ? shown : "\n"}${renderRuleChange(decision, dryRun, terminal)}`;
    return done({ dryRun, rule: decision.rule }, text, dryRun ? [] : decision.next);
  });
  return { ...outcome, config: here.config };
}

async function hardenRequest(
  args: RulesAddArgs,
  terminal: Terminal,
  { clock, agents }: Pick<GovernanceWorld, "clock"> & Pick<ConfigHere, "agents">,
  { service, events }: OpenContract,
): Promise<Harden | Failure> {
  const { scope, id: from, file, first, before: later } = args;
  const until = readExpiry(args.shadow ?? "7d", clock.now());
  const shared = { kind: "harden", scope, until } as const;
  if (file !== undefined) {
    const read = await readRuleFile(resolve(terminal.cwd, file));
    return "ok" in read ? read : { ...shared, ...read, from };
  }
  if (from === undefined) {
    const fix = "give the id of a candidate or directive: conduct behavior list; or --file with a rule";
    return badArgument("no directive or candidate given", fix, "MISSING_DIRECTIVE_ID");
  }
  const state = await service.state();
  const source = allDirectives(state).find((one) => one.id === from) ?? state.candidates.get(from);
  if (source === undefined) {
    const message = `no directive or candidate has the id '${oneLine(from).slice(0, 80)}'`;
    return failed("DIRECTIVE_NOT_FOUND", message, "use an id from the list", { next: [LIST] });
  }
  const known = await knownNames(agents, events);
  const made = orderRule(source, known, { first, later });
  if ("why" in made) {
    const names = known.length === 0 ? "no tools or actions are known yet" : `known: ${known.slice(0, 30).join(", ")}`;
    const fix = `give them: conduct rules add ${from} --first=TOOL --before=TOOL (${names}); or write the rule yourself: --file`;
    return failed("NO_TOOL_ORDER", `'${from}' cannot become a rule: ${made.why}`, fix, { next: [LIST] });
  }
  return { ...shared, rule: made.rule, text: made.text, from };
}

async function readRuleFile(path: string): Promise<{ readonly rule: string; readonly text: string } | Failure> {
  try {
    const text = await readFile(path, "utf8");
    const read = readStandingRule(text);
    if ("rule" in read) return { rule: read.rule.id, text };
    const fix = `correct it, then check it: conduct policy check ${path}`;
    return badArgument(`${path}: ${read.faults.join("; ")}`, fix, "INVALID_RULE");
  } catch (error) {
    const message = `${path} cannot be read: ${errorText(error)}`;
    return badArgument(message, "give a file with one rule", "RULES_NOT_FOUND");
  }
}
