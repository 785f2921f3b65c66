import type { ChangeDecision } from "../../../../behavior/contract/decide/change-request.ts";
import type { AgentAround } from "../../../../edge/host/trust/inside-agent.ts";
import type { Arguments, CommandBody } from "../../line/command.ts";
import type { Outcome } from "../../line/outcome.ts";
import { oneLine } from "../../line/printable.ts";
import type { Terminal } from "../../line/terminal.ts";
import { readExpiry } from "../behavior/draft.ts";
import { spoken, stamp } from "../behavior/render/render.ts";
import { renderRefusal } from "../behavior/render/render-change.ts";
import { type GovernanceWorld, onThisMachine, textOf, withContract } from "../behavior/world.ts";

type RuleChange = "enforce-rule" | "shadow-rule" | "remove-rule";
type Accepted = Extract<ChangeDecision, { readonly kind: "accepted" }>;

/** `conduct rules enforce | shadow | remove ID` */
export function rulesChange(kind: RuleChange): CommandBody {
  return onThisMachine((args, terminal, world) => runRulesChange(kind, args, terminal, world));
}

export async function runRulesChange(
  kind: RuleChange,
  args: Arguments,
  terminal: Terminal,
  world: GovernanceWorld,
): Promise<Outcome> {
  const around = await world.inside();
  if (around !== undefined) return insideAgent(around, kind.split("-")[0] ?? kind);
  const id = textOf(args.id) ?? "";
  const reason = textOf(args.reason);
  const { expiresAt: until } = readExpiry(args.for, world.clock.now());
  const request =
    kind === "remove-rule" ? { kind, id, reason } : kind === "shadow-rule" ? { kind, id, until } : { kind, id };
  const dryRun = args["dry-run"] === true;
  return withContract(world, "write", async ({ service }) => {
    const decision = await service.change(request, await world.by(), { dryRun });
    if (!dryRun) await world.tell(decision);
    if (decision.kind === "refused") {
      const { code, message, fix, next } = decision;
      return { ok: false, code, message, fix, next, text: renderRefusal(decision, terminal) };
    }
    const text = `\n${renderRuleChange(decision, dryRun, terminal)}`;
    return { ok: true, result: { dryRun, rule: decision.rule }, text, next: dryRun ? [] : decision.next };
  });
}

/** What became of a rule, since when it counts and what to do next. */
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
      return `  ${mark}${name} binds from the next turn of every session\n    back to watching: ${spoken(`conduct rules shadow ${rule.id}`, invocation)}\n\n`;
    case "removed":
      return `  ${mark}${name} is removed\n\n`;
    default:
      return `  ${mark}${name} is in shadow${until}: it blocks nothing and counts what it would have blocked\n    see it: ${spoken("conduct rules list", invocation)}   let it bind: ${enforce}\n\n`;
  }
}

export function insideAgent({ agent, sign }: AgentAround, name: string): Outcome {
  return {
    ok: false,
    code: "INSIDE_AGENT",
    message: `this is run by ${agent} (${sign}), and rules are a person's to change`,
    fix: `run it yourself, in a terminal of your own: conduct rules ${name}`,
    next: [],
  };
}
