import type { JsonObject } from "../../../base/words/json.ts";
import { provenIfOk } from "../exit-status.ts";
import type { ProgramTable } from "../programs/program-table.ts";
import type { ShellRun } from "../shell/shell-line.ts";
import type { CommandFacts } from "./command-ways.ts";

/** `inside`: the absolute folders that the commands for it name. */
type Fact = {
  readonly name: string;
  readonly args: JsonObject | undefined;
  readonly bit: bigint;
  readonly inside: Set<string>;
};

const CHECKS = /^(?:tests|builds|lints|types)\./;
/** Further effects other than checks are not proven: each fact makes every step of the proof slower. */
const MAX_OTHER_FACTS = 64;

export function isCheck(name: string): boolean {
  return CHECKS.test(name);
}

/** An effect that the exit status of the line proves. */
export type ProvenEffect = { readonly name: string; readonly args: JsonObject; readonly inside: readonly string[] };

type Marks = { readonly proves: bigint; readonly doubts: bigint; readonly changes: boolean };

/** What the commands of a line would prove, and what of it the exit status of the line does prove. */
export class LineFacts {
  /** What can be proven: an effect, or one of the effects with a name. */
  readonly #facts = new Map<string, Fact>();
  /** `doubts`: tests that a command may run, and its end does not show whether they passed. */
  readonly #commands = new Map<ShellRun, Marks>();
  #others = 0;

  mark(run: ShellRun, marks: Marks): void {
    if (marks.proves !== 0n || marks.doubts !== 0n || marks.changes) this.#commands.set(run, marks);
  }

  /** The facts that an effect stands for: itself, and for checks any effect of its name. `key`: see `keyOf`. */
  bitsOf(key: string, name: string, args: JsonObject, inside: readonly string[]): bigint {
    const own = this.#bitOf(key, name, args, inside);
    return isCheck(name) ? own | this.#bitOf(name, name, undefined, inside) : own;
  }

  /** The bit of an effect, or of any effect with its name. */
  #bitOf(key: string, name: string, args: JsonObject | undefined, inside: readonly string[]): bigint {
    const known = this.#facts.get(key);
    if (known === undefined && !isCheck(name) && ++this.#others > MAX_OTHER_FACTS) return 0n;
    const fact = known ?? { name, args, bit: 1n << BigInt(this.#facts.size), inside: new Set<string>() };
    this.#facts.set(key, fact);
    for (const folder of inside) fact.inside.add(folder);
    return fact.bit;
  }

  /** The effects that an exit status of 0 proves. */
  proven(runs: readonly ShellRun[], table: ProgramTable): readonly ProvenEffect[] {
    const checks = [...this.#facts.values()].filter(({ name }) => isCheck(name));
    // Tests that ran before a change say nothing about the workspace after it.
    const outdates = checks.reduce((facts, { bit }) => facts | bit, 0n);
    const commands = new Map<ShellRun, CommandFacts>();
    for (const [run, { proves, doubts, changes }] of this.#commands)
      commands.set(run, { proves, doubts: doubts & ~proves, outdates: changes ? outdates : 0n });
    const proven = provenIfOk(runs, commands, table);
    if (proven === 0n) return [];
    const isProven = ({ bit }: Fact) => (proven & bit) !== 0n;
    const given = (name: string) => checks.filter((fact) => fact.name === name && fact.args !== undefined);
    return [...this.#facts.values()].flatMap((fact) => {
      const { name, inside } = fact;
      // `npm run test:ci || npm test` runs one of them.
      if (!isProven(fact) || (fact.args === undefined && given(name).some(isProven))) return [];
      const args = fact.args ?? commonArgs(given(name).map((one) => one.args ?? {}));
      return [{ name, args, inside: [...inside] }];
    });
  }
}

/** Equal effects have equal keys. */
export function keyOf(name: string, args: JsonObject): string {
  return `${name} ${JSON.stringify(args)}`;
}

function commonArgs([first = {}, ...rest]: readonly JsonObject[]): JsonObject {
  const same = Object.entries(first).filter(([key, value]) =>
    rest.every((args) => JSON.stringify(args[key]) === JSON.stringify(value)),
  );
  return Object.fromEntries(same);
}
