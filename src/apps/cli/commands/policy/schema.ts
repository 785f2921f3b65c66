import { caseJsonSchema } from "../../../../engine/agent/rules/case-file-schema.ts";
import { ruleJsonSchema } from "../../../../engine/agent/rules/rule-json-schema.ts";
import type { CommandBody } from "../../line/command.ts";

/** `conduct policy schema`: what `docs/schema/rules.schema.json` holds; with `--cases` what `cases.schema.json` does. */
export const policySchema: CommandBody = async (args) => {
  const schema = args.cases === true ? caseJsonSchema() : ruleJsonSchema();
  return {
    ok: true,
    result: schema,
    text: `${JSON.stringify(schema, null, 2)}\n`,
    next: [{ command: "conduct policy check", description: "Check rules.yaml in this folder" }],
  };
};
