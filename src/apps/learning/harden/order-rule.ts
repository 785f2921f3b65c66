import { stringify } from "yaml";
import type { BehaviorDirective, Candidate } from "../../../base/words/contract.ts";
import { writeDirective } from "../../../behavior/contract/parse/directive-form.ts";
import { orderIn, type ToolOrder } from "./tool-order.ts";

/** A rule as a person sees it before saying yes. */
export type OrderRule = { readonly rule: string; readonly text: string; readonly order: ToolOrder };

type Source = Pick<BehaviorDirective, "id" | "type" | "text"> &
  Pick<Partial<BehaviorDirective>, "check"> &
  Partial<Pick<Candidate, "confidence">>;

/**
 * The rule that a candidate or directive comes to. Its own check says the order where it has one; `given` names it where the words
 * do not. `known`: the tools and actions there are.
 */
export function orderRule(
  source: Source,
  known: readonly string[],
  given: Partial<ToolOrder> = {},
): OrderRule | { readonly why: string } {
  const { check } = source;
  const told = check?.kind === "order" ? check : orderIn(source, known);
  const { first = "first" in told ? told.first : undefined, later = "later" in told ? told.later : undefined } = given;
  if (first === undefined || later === undefined) return { why: "why" in told ? told.why : "it names no order" };
  if (first === later) return { why: `'${first}' cannot come before itself` };
  const strange = [first, later].find((name) => !known.includes(name));
  if (strange !== undefined) return { why: `no agent has a tool or action '${strange}', and none was seen` };
  const rule = `${slug(first)}-before-${slug(later)}`;
  const written = { rules: [{ id: rule, on: later, require: { call: first }, say: `First ${first}, then ${later}.` }] };
  const sure = source.confidence === undefined ? "" : `, confidence ${source.confidence.toFixed(2)}`;
  const head = `# from ${source.id}: ${oneLine(writeDirective(source))}${sure}\n`;
  return { rule, text: `${head}${stringify(written)}`, order: { first, later } };
}

function slug(name: string): string {
  return name.replace(/[^\w.-]+/g, "-");
}

/** A comment ends with its line. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ");
}
