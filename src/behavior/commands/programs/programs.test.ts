import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { type LineEffect, lineEffects } from "../line-effects.ts";
import { BUILT_IN } from "./built-in-programs.ts";
import { PROGRAMS, type ProgramFile } from "./program-table.ts";

const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");

const Selector = z.string();
const Effect = z.record(
  z.string().regex(/^[a-z]+(?:\.[a-z]+)+$/),
  z.record(z.string().regex(/^[a-zA-Z]+$/), z.string()),
);
const Program: z.ZodType = z.strictObject({
  same: z.string().optional(),
  options: z.string().optional(),
  abbreviates: z.boolean().optional(),
  oneDash: z.boolean().optional(),
  dry: Selector.optional(),
  folder: Selector.optional(),
  unproven: z.union([Selector, z.literal(true)]).optional(),
  settings: z.string().optional(),
  alias: z.string().optional(),
  commands: z
    .record(
      z.string(),
      z.lazy(() => Program),
    )
    .optional(),
  otherwise: z.lazy(() => Program).optional(),
  empty: z.lazy(() => Program).optional(),
  inherits: z.literal("").optional(),
  skip: z.number().optional(),
  skips: z.string().optional(),
  skipTo: z.string().optional(),
  after: z.string().optional(),
  does: z.union([Effect, z.array(Effect)]).optional(),
  targets: z.enum(["first", "all", "colon", "words", "self", "last"]).optional(),
  also: z.record(z.string(), z.string()).optional(),
  alsoOptions: Selector.optional(),
  targetOrRuns: z.literal("").optional(),
  runs: z.number().optional(),
  entry: z.string().optional(),
  script: Selector.optional(),
  module: z.string().optional(),
  stops: z.boolean().optional(),
  assigns: z.boolean().optional(),
  numbers: z.boolean().optional(),
  attached: z.string().optional(),
  joins: z.boolean().optional(),
  fills: z.boolean().optional(),
  elsewhere: z.boolean().optional(),
  shell: z.union([z.boolean(), z.literal("eval")]).optional(),
  sql: Selector.optional(),
  code: Selector.optional(),
  operandsAre: z.literal("names").optional(),
  cloud: z
    .strictObject({
      delete: z.string(),
      read: z.string(),
      copy: z.string(),
      deploy: z.string().optional(),
      grant: z.string().optional(),
    })
    .optional(),
});
const File = z.strictObject({
  unproven: z.string(),
  unprovenVariables: z.string(),
  variables: z.record(z.string(), Effect),
  targets: z.record(z.string(), z.strictObject({ names: z.string(), not: z.string().optional() })),
  programs: z.record(z.string(), Program),
});

function shown({ name, args, proven, inside }: LineEffect): string {
  const given = Object.entries(args).filter(([key]) => key !== "program");
  const texts = given.map(([key, value]) => {
    if (value === true) return key;
    return `${key}=${Array.isArray(value) ? value.join("+") : value}`;
  });
  const proof = proven ? (inside === undefined ? "!" : "?") : "";
  return `${name}${texts.length === 0 ? "" : `(${texts.join(",")})`}${proof}`;
}

const CASES = read("program-cases.txt")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => line.split(" -> ") as [string, string]);

describe("programs", () => {
  it("PRG-1 programs.yaml has no unknown key, and every selector is a text", () => {
    const result = File.safeParse(parse(read("programs.yaml")));
    expect(result.error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? []).toEqual([]);
  });

  it("PRG-2 Conduct loads what programs.yaml says (npm run programs)", () => {
    expect(JSON.parse(BUILT_IN)).toEqual(parse(read("programs.yaml")));
  });

  it("PRG-3 `same` names a program of the table", () => {
    const { programs } = JSON.parse(BUILT_IN) as ProgramFile;
    const missing = Object.values(programs).filter(
      ({ same }) => same !== undefined && PROGRAMS.specsOf(same).length === 0,
    );
    expect(missing).toEqual([]);
  });

  it.each(CASES)("PRG-4 the line %s has the effects %s", (line, effects) => {
    expect(lineEffects(line).map(shown).join(" ") || "nothing").toBe(effects);
  });

  const wrappers = ["sudo", "env A=1", "timeout 60", "nice -n 5", "nohup", "time", "xargs", "npx", "command", "exec"];
  const wrapped = fc.array(fc.constantFrom(...wrappers), { minLength: 1, maxLength: 4 });

  it("PRG-5 a wrapper never removes an effect", () => {
    const lines = CASES.map(([line]) => line).filter((line) =>
      /^(?:git|npm|rm|docker|kubectl|psql|make|cargo) [^|;&<>$]*$/.test(line),
    );
    expect(lines.length).toBeGreaterThan(80);
    fc.assert(
      fc.property(fc.constantFrom(...lines), wrapped, (line, wrap) => {
        const names = new Set(lineEffects(`${wrap.join(" ")} ${line}`).map(({ name }) => name));
        expect(lineEffects(line).filter(({ name }) => !names.has(name))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it("PRG-6 programs that an operator adds only add effects", () => {
    const table = PROGRAMS.withPrograms({
      git: {},
      ship: { commands: { it: { does: { "deploys.run": {} } } } },
      round: { same: "about" },
      about: { same: "round" },
    });
    expect(lineEffects("git push -f", table)).toEqual(lineEffects("git push -f"));
    expect(lineEffects("ship it", table).map(({ name }) => name)).toEqual(["deploys.run"]);
    expect(lineEffects("ship it")).toEqual([]);
    expect(lineEffects("round", table)).toEqual([]);
  });

  it("PRG-7 a long line takes a linear number of steps", () => {
    const effects = lineEffects(`${"npm run lint && ".repeat(4_000)}npm test`);
    expect(effects.map(({ name }) => name)).toContain("tests.run");
  });
});
