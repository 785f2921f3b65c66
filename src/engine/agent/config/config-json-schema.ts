import { z } from "zod";
import { configSchema } from "./config-schema.ts";

/** The schema for editors; `docs/schema/conduct.schema.json` holds it, and a test keeps that file current. */
export function configJsonSchema(): { readonly [key: string]: unknown } {
  return {
    title: "conduct.yaml",
    description: "Agents and their constraints, for Conduct.",
    ...z.toJSONSchema(configSchema, { io: "input", target: "draft-7" }),
  };
}
