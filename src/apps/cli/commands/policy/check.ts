import { caseJsonSchema } from "../../../../engine/agent/rules/parse-cases.ts";
import { ruleJsonSchema } from "../../../../engine/agent/rules/rule-file-schema.ts";
import { describeRule } from "../../../../engine/agent/rules/write-rule.ts";
import { oneLine, plural, quoted, wrap } from "../../../shared/printable.ts";
import type { PolicySchemaArgs, RuleFileArgs } from "../../declared/develop-commands.ts";
import { done, type Outcome } from "../../line/outcome.ts";
import { renderFaults } from "../../line/render-faults.ts";
import type { Paint, Terminal } from "../../line/terminal.ts";
import { faultyOutcome, loadAll, type UsableRules } from "./rule-files.ts";

/** `conduct policy schema`: prints `docs/schema/rules.schema.json`; with `--cases`, `cases.schema.json`. */
export async function policySchema(args: PolicySchemaArgs): Promise<Outcome> {
  const schema = args.cases === true ? caseJsonSchema() : ruleJsonSchema();
  return done(schema, `${JSON.stringify(schema, null, 2)}\n`, [
    { command: "conduct policy check", description: "Check rules.yaml in this folder" },
  ]);
}

/** `conduct policy check FILE…` */
export async function policyCheck(args: RuleFileArgs, { cwd, paint, columns }: Terminal): Promise<Outcome> {
  const files = [...new Set(args.file)];
  const read = await loadAll(files, cwd);
  const names = files.map(quoted).join(" ");
  if ("error" in read) {
    return {
      ok: false,
      ...read.error,
      next: [{ command: "conduct policy schema", description: "What a rule file may say" }],
    };
  }
  const { loaded } = read;
  const texts = new Map(loaded.map(({ shown, text }) => [shown, text]));
  const faulty = loaded.filter(({ parsed }) => "faults" in parsed);
  if (faulty.length > 0) {
    const faults = faulty.flatMap(({ parsed }) => ("faults" in parsed ? parsed.faults : []));
    const shown = faulty.map((one) => one.shown);
    return faultyOutcome(
      { code: "RULES_INVALID", files: shown, again: `conduct policy check ${names}` },
      faults,
      texts,
      paint,
    );
  }
  const warnings = loaded.flatMap(({ parsed }) => parsed.warnings);
  const told = warnings.length === 0 ? "" : `${renderFaults(warnings, texts, "warning", paint)}\n`;
  return done(
    { files: loaded.map(summarise), warnings },
    `\n${told}${loaded.map((one) => render(one, columns, paint)).join("\n")}\n`,
    [{ command: `conduct policy test ${names}`, description: "Run the cases beside them" }],
  );
}

function summarise({ shown, parsed }: UsableRules) {
  const { rules, actions } = "ruleSet" in parsed ? parsed.ruleSet : { rules: [], actions: {} };
  return {
    file: shown,
    actions: Object.keys(actions),
    rules: rules.map((rule) => ({
      id: rule.id,
      line: rule.place?.line,
      effect: rule.effect,
      does: describeRule(rule),
    })),
  };
}

function render(one: UsableRules, columns: number, paint: Paint): string {
  const { file, rules, actions } = summarise(one);
  const { length } = one.parsed.warnings;
  const also = length === 0 ? "" : ` · ${plural(length, "warning")}`;
  const head = `  ${paint("green", `✓ ${file}`)}   ${plural(rules.length, "rule")} · ${plural(actions.length, "action")}${also}\n`;
  const width = Math.min(32, Math.max(0, ...rules.map(({ id }) => id.length)));
  const rows = rules.map(({ id, does }) => {
    const [first = "", ...more] = wrap(does, columns - width - 7);
    const indent = " ".repeat(width + 7);
    return [
      `    ${paint("bold", oneLine(id).padEnd(width))}   ${first}`,
      ...more.map((line) => `${indent}${line}`),
    ].join("\n");
  });
  return [head, ...rows, ""].join("\n");
}
