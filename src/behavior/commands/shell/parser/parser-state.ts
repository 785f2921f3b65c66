import type { Dialect, ExpandContext } from "../expand-word.ts";
import type { Folders } from "../folders.ts";
import { LikelyState } from "../likely-state.ts";
import type { ReadBudget } from "../read-budget.ts";
import type { ShellCommand, ShellLink, ShellScope } from "../shell-script.ts";
import * as syntax from "../syntax-tree.ts";
import { NameUses, Variables } from "../variables.ts";
import { separatorsOf } from "./command-parts.ts";

export type ParseLimits = {
  /** Shared by a line and the scripts in it. */
  readonly budget: ReadBudget;
  readonly folders: Folders;
  readonly dialect: Dialect;
  readonly home: boolean;
  /** The words after the script of `bash -c`. */
  readonly positional: readonly string[];
  /** Likely values of the variables that the script inherits from the line around it. */
  readonly environment: ReadonlyMap<string, string>;
};

/** Deeper substitutions are not read. */
const MAX_DEPTH = 12;
/** How the first command of a list is linked. */
export const FIRST: ShellLink = { after: "", pipeline: { index: 0, length: 1 }, negated: false, background: false };

export type ScopePart = Pick<ShellScope, "compound" | "branch" | "name">;

/** Where a command stands. `again`: it may run more than once. */
export type Place = {
  readonly folders: Folders;
  readonly scope: ShellScope | undefined;
  readonly link: ShellLink;
  readonly again: boolean;
  /** `set -e` ends the script if a command fails here. */
  readonly checked: boolean;
};

/** What the reader of a script knows at a place: variables, functions, folders, and the commands that it found. */
export class ParserState implements ExpandContext {
  readonly commands: ShellCommand[] = [];
  parsed = true;
  readonly dialect: Dialect;
  readonly home: boolean;
  readonly limits: ParseLimits;
  readonly line: string;
  /** The text that the positions of the tree refer to. */
  source: string;
  #names: NameUses | undefined;
  variables = new Variables();
  readonly likely: LikelyState;
  readonly functions = new Map<string, syntax.Function["body"]>();
  /** Functions and aliases that are being followed. */
  readonly following = new Set<string>();
  /** How many more loops are unrolled, and functions and aliases followed: each reads its text again. */
  again = MAX_AGAIN;
  place: Place;
  #depth = 0;
  /** `set -e` ran, and nothing turns it off. */
  stops = false;
  readonly pushed: Folders[] = [];
  #isUsualGit: boolean | undefined;
  readonly #readScript: (script: syntax.ParsedScript, place: Place) => void;

  constructor(line: string, limits: ParseLimits, readScript: (script: syntax.ParsedScript, place: Place) => void) {
    this.line = line;
    this.source = line;
    this.limits = limits;
    this.dialect = limits.dialect;
    this.home = limits.home;
    this.place = { folders: limits.folders, scope: undefined, link: FIRST, again: false, checked: true };
    this.likely = new LikelyState(limits.budget, limits.positional, separatorsOf(line));
    for (const [name, value] of limits.environment) this.likely.set(name, [value]);
    this.#readScript = readScript;
  }

  valueOf(name: string): string | undefined {
    if (name === "IFS" && this.uses.splitsAtBlanks) return " ";
    const value = this.variables.get(name);
    if (value === undefined || !this.uses.areAllSeen(name) || !this.uses.splitsAtBlanks) return undefined;
    return this.limits.budget.spend(value.length) ? value : undefined;
  }

  get isUsualGit(): boolean {
    this.#isUsualGit ??= !/\bGIT_|\bgit\s*\(|\bfunction\b|\balias\b/.test(this.line);
    return this.#isUsualGit;
  }

  noteAmbiguous(): void {
    this.parsed = false;
  }

  likelyValues(name: string): readonly string[] | undefined {
    return this.likely.values(name) ?? (name === "SHELL" || name === "BASH" ? ["bash"] : undefined);
  }

  get separators(): RegExp {
    return this.likely.separators;
  }

  noteLikely(name: string, values: readonly string[] | undefined): void {
    this.likely.set(name, values);
  }

  readSubstitutions(node: syntax.SyntaxNode): string | undefined {
    const outer = this.likely.output;
    this.likely.output = "";
    if (node.type === "Script") {
      const place = inside("substitution", this.place);
      this.deeper(node.end - node.pos, () => this.fork(() => this.#readScript(node, place)));
    } else if (node.type === "ArithmeticExpansion" || node.type === "ParameterExpansion") {
      this.deeper(node.end - node.pos, () => this.#readBelow(node));
    } else this.likely.output = this.#readBelow(node);
    const output = this.likely.output;
    this.likely.output = outer;
    return output;
  }

  #readBelow(node: syntax.SyntaxNode): string | undefined {
    let output: string | undefined;
    syntax.forEachChild(node, (child) => {
      output = this.readSubstitutions(child);
    });
    return output;
  }

  get uses(): NameUses {
    this.#names ??= new NameUses(this.line);
    return this.#names;
  }

  /** Each level reads its text again. */
  deeper<T>(length: number, read: () => T): T | undefined {
    if (this.#depth >= MAX_DEPTH || !this.limits.budget.spend(length)) {
      this.parsed = false;
      return undefined;
    }
    this.#depth += 1;
    const place = this.place;
    const result = read();
    this.place = place;
    this.#depth -= 1;
    return result;
  }

  /** Runs in a process of its own, so that its variables and folder stay there. */
  fork<T>(read: () => T): T {
    const outer = this.variables;
    const pushed = [...this.pushed];
    this.variables = new Variables(outer);
    const result = read();
    this.variables = outer;
    this.pushed.splice(0, this.pushed.length, ...pushed);
    return result;
  }

  /** After a part that may have run only partly, nobody knows which folders `popd` returns to. */
  forgetPushed(before: readonly Folders[], { pos, end }: syntax.SyntaxNode): void {
    if (before.length + this.pushed.length > 0 && /\b(?:pushd|popd)\b/.test(this.source.slice(pos, end)))
      this.pushed.length = 0;
  }
}

/** A place inside a part of a script. */
export function inside(kind: ShellScope["kind"], place: Place, part: ScopePart = {}): Place {
  const checked = place.checked && CHECKED.test(kind) && !place.link.negated && !place.link.background;
  return { ...place, scope: { ...place.link, ...part, kind, parent: place.scope }, link: FIRST, checked };
}

/** Parts of a script in which `set -e` holds as it does around them. */
const CHECKED = /^(?:group|subshell|if|loop|case)$/;
const MAX_AGAIN = 100;
