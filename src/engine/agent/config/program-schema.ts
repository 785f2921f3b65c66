import { z } from "zod";
import type { ProgramSpec } from "../../../base/words/hosting/program.ts";
import { list, map, matching, named, oneOf, optional, text, yesOrNo } from "./schema-fields.ts";

const effects = z.record(
  matching(/^[a-z]+(?:\.[a-z]+)+$/, "is not an effect's name, such as deploys.run"),
  z.record(
    matching(/^[a-zA-Z]+$/, "is not an argument's name, such as force"),
    z.string({ error: "must be a string: conditions on the arguments, or empty" }),
    { error: "must be a map from arguments to conditions; {} for none" },
  ),
  { error: "must be a map from effects to their arguments, such as { deploys.run: {} }" },
);

const words = (about: string) => optional(z.string({ error: "must be a string" }), about);
const flag = () => optional(yesOrNo());
const inner = () => optional(z.lazy((): z.ZodType<ProgramSpec> => program));

/** How a program reads its words, and what it does; the language of programs.yaml. */
export const program: z.ZodType<ProgramSpec> = map({
  does: optional(
    z.union([effects, list(effects)], {
      error: "must be a map from effects to their arguments, or a list of such maps",
    }),
    "The effects, such as { deploys.run: { force: --force } }.",
  ),
  options: words("Its options, separated by blanks: -f|--force --file= (takes a value) --color? (may take one)."),
  commands: optional(
    named(z.lazy((): z.ZodType<ProgramSpec> => program)),
    "Its subcommands; several names: add|stage.",
  ),
  otherwise: inner(),
  empty: inner(),
  same: optional(text(), "Reads its words like this other program."),
  dry: words("Options with which it does nothing."),
  unproven: optional(
    z.union([z.string(), z.literal(true)]),
    "Options with which success proves nothing; true: always.",
  ),
  targets: optional(
    oneOf("first", "all", "colon", "words", "self", "last"),
    "Its operands name scripts of the project.",
  ),
  runs: optional(z.number({ error: "must be a number" }), "Runs the program that follows after this many operands."),
  script: words("Options and operands that are command lines."),
  code: words("Options and operands that are code."),
  sql: words("Options and operands that are SQL."),
  folder: words("Options that name the folder to work in."),
  abbreviates: flag(),
  oneDash: flag(),
  settings: optional(text()),
  alias: optional(text()),
  inherits: optional(z.literal("")),
  skip: optional(z.number()),
  skips: optional(text()),
  skipTo: optional(text()),
  after: optional(text()),
  also: optional(named(text())),
  alsoOptions: optional(text()),
  targetOrRuns: optional(z.literal("")),
  entry: optional(text()),
  module: optional(text()),
  stops: flag(),
  assigns: flag(),
  numbers: flag(),
  attached: optional(text()),
  joins: flag(),
  fills: flag(),
  elsewhere: flag(),
  shell: optional(z.union([yesOrNo(), z.literal("eval")])),
  operandsAre: optional(z.literal("names")),
  cloud: optional(
    map({ delete: text(), read: text(), copy: text(), deploy: optional(text()), grant: optional(text()) }),
  ),
});
