import { configJsonSchema } from "../../../../engine/agent/config/config-json-schema.ts";
import type { CommandBody } from "../../line/command.ts";

/** `conduct config schema`: what `docs/schema/conduct.schema.json` holds. */
export const configSchemaCommand: CommandBody = async () => {
  const schema = configJsonSchema();
  return {
    ok: true,
    result: schema,
    text: `${JSON.stringify(schema, null, 2)}\n`,
    next: [{ command: "conduct config check", description: "Check conduct.yaml in this folder" }],
  };
};
