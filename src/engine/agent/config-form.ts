import { type ConfigFile, configSchema } from "./config-schema.ts";
import { isLaterKey } from "./later-keys.ts";
import type { Form } from "./schema-complaints.ts";
import { keysAt } from "./schema-keys.ts";

/** What a conduct.yaml may say. */
export const configForm: Form<ConfigFile> = {
  schema: configSchema,
  unknownKey(path, key) {
    if (isLaterKey(path, key)) {
      const hint = "it comes with a later version; remove it for now";
      return { message: `'${key}' is not supported yet`, hint };
    }
    const ofAgent = path.length === 0 && keysAt(configSchema, ["agents", "x"]).includes(key);
    return ofAgent ? { hint: `it belongs to an agent: agents.<name>.${key}` } : undefined;
  },
};
