import type { EffectSpec, ProgramSpec } from "../../../base/words/hosting/program.ts";
import type { Json } from "../../../base/words/json.ts";
import type { Arguments } from "./arguments.ts";
import { argumentOf } from "./effect-arguments.ts";
import type { CommandEffect } from "./program-effects.ts";
import { PROGRAMS } from "./program-table.ts";

/** The effects that a program's description declares under `does`. */
export function declaredEffects(spec: ProgramSpec, args: Arguments, program: string): readonly CommandEffect[] {
  return declarationsOf(spec).flatMap(({ name, when, unless, given }) => {
    if (when !== undefined && !args.selects(when)) return [];
    if (unless !== undefined && args.selects(unless)) return [];
    const shown: { [argument: string]: Json } = { program };
    for (const [key, value] of given) {
      const found = argumentOf(key, value, args);
      // Only programs that an agent adds have arguments of which Conduct does not know that they are flags.
      if (found === undefined || (found === false && PROGRAMS.absentArgument(name, key) !== undefined)) continue;
      shown[key] = found;
    }
    return [{ name, args: shown, sure: true }];
  });
}

type Declaration = {
  readonly name: string;
  readonly when?: string;
  readonly unless?: string;
  readonly given: readonly (readonly [string, string])[];
};

const declarations = new WeakMap<ProgramSpec, readonly Declaration[]>();

function declarationsOf(spec: ProgramSpec): readonly Declaration[] {
  const known = declarations.get(spec);
  if (known !== undefined) return known;
  const list = [spec.does ?? []].flat() as readonly EffectSpec[];
  const read = list.flatMap((effects) =>
    Object.entries(effects).map(([name, { when, unless, ...given }]) => ({
      name,
      when,
      unless,
      given: Object.entries(given),
    })),
  );
  declarations.set(spec, read);
  return read;
}
