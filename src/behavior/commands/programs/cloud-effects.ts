import { globMatches } from "../../../base/kernel/glob.ts";
import type { ProgramSpec } from "../../../base/words/hosting/program.ts";
import type { Arguments } from "./arguments.ts";
import type { CommandEffect } from "./program-effects.ts";

/** Cloud command lines name a service and then a verb. */
export function cloudEffects(
  { delete: deletes, read, copy, deploy = "", grant = "" }: NonNullable<ProgramSpec["cloud"]>,
  { operands, uncertain }: Arguments,
): readonly CommandEffect[] {
  if (operands.at(-1)?.text === "help") return [];
  const verbs = operands.slice(0, 5).flatMap(({ text }) => (text.includes("/") ? [] : [text, ...text.split(":")]));
  const isOne = (globs: string) => verbs.find((verb) => globs.split(" ").some((glob) => globMatches(glob, verb)));
  const what = verbs[0] ?? "";
  const deleted = isOne(deletes);
  if (deleted !== undefined) return [{ name: "cloud.delete", args: { what, verb: deleted }, sure: !uncertain }];
  if (isOne(deploy) !== undefined) return [{ name: "deploys.run", args: { program: what }, sure: false }];
  // Rights that are given away stay.
  if (isOne(grant) !== undefined) return [{ name: "cloud.change", args: { what, apply: true }, sure: !uncertain }];
  if (isOne(copy) !== undefined) return [{ name: "network.send", args: { what }, sure: !uncertain }];
  return isOne(read) !== undefined || what === "" ? [] : [{ name: "cloud.change", args: { what }, sure: !uncertain }];
}
