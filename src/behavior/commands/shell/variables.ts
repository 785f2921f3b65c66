/** Names whose value the shell sets itself, or that mean a folder. */
const SPECIAL =
  /^(?:_|HOME|PWD|OLDPWD|IFS|REPLY|RANDOM|SRANDOM|SECONDS|LINENO|E?UID|PPID|GROUPS|OPT\w+|BASH\w*|EPOCH\w*)$/;
const MAX_VALUE = 1_000;

/** How often each name is written without a `$` in front: assignments, `read x`, `for x`, `unset x`, arithmetic. */
export class NameUses {
  readonly #uses: ReadonlyMap<string, number>;
  readonly #assigned = new Map<string, number>();

  constructor(text: string) {
    const uses = new Map<string, number>();
    for (const [name] of text.matchAll(/\$\{?\w+|[A-Za-z_]\w*/g)) {
      if (!name.startsWith("$")) uses.set(name, (uses.get(name) ?? 0) + 1);
    }
    this.#uses = uses;
  }

  noteAssignment(name: string): void {
    this.#assigned.set(name, (this.#assigned.get(name) ?? 0) + 1);
  }

  /** Returns whether nothing but the assignments seen so far can change the variable. */
  areAllSeen(name: string): boolean {
    return this.#uses.get(name) === this.#assigned.get(name);
  }

  /** Returns whether values are split at blanks, as by default. */
  get splitsAtBlanks(): boolean {
    return !this.#uses.has("IFS");
  }
}

/** Variables with a value known from the text. A subshell or a branch has its own values on top of the outer ones. */
export class Variables {
  readonly #values = new Map<string, string | undefined>();
  readonly #outer: Variables | undefined;
  #cleared = false;

  constructor(outer?: Variables) {
    this.#outer = outer;
  }

  get(name: string): string | undefined {
    if (this.#values.has(name)) return this.#values.get(name);
    return this.#cleared ? undefined : this.#outer?.get(name);
  }

  set(name: string, value: string | undefined): void {
    this.#values.set(name, value === undefined || value.length > MAX_VALUE || SPECIAL.test(name) ? undefined : value);
  }

  /** Forgets all values, because code that is not on the line may change them. */
  clear(): void {
    this.#values.clear();
    this.#cleared = true;
  }

  /** After a branch that may not have run, its assignments are uncertain. */
  leave(branch: Variables): void {
    if (branch.#cleared) this.clear();
    for (const name of branch.#values.keys()) this.#values.set(name, undefined);
  }
}
