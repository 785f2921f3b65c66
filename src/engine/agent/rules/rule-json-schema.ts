import { z } from "zod";
import { ruleFileSchema } from "./rule-file-schema.ts";

/** The schema for editors; `docs/schema/rules.schema.json` holds it, and a test keeps that file current. */
export function ruleJsonSchema(): { readonly [key: string]: unknown } {
  return {
    title: "rules.yaml",
    description: "Rules that bind agents, for Conduct.",
    ...z.toJSONSchema(ruleFileSchema, { io: "input", target: "draft-7" }),
  };
}
