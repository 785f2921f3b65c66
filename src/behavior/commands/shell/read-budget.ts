/** No shell is started with a longer command line: Linux allows one argument 128 KiB. */
export const MAX_LENGTH = 131_072;

/** Every file of a call is looked up on disk before the call is decided. */
export const MAX_PATHS = 1_000;

/** Work for a line of any length, for each of its characters, and in all. */
const WORK = { base: 10_000, each: 100, most: 1_000_000 };

/** Wrappers and what they may run: `sudo -u me env A=1 npm test` has four. */
const MAX_PROGRAMS = 128;

/** Work for a program besides reading its words. */
const PER_PROGRAM = 16;

/** The work that reading one command line may take. A unit is one character that is read or copied. */
export class ReadBudget {
  readonly #limit: number;
  #work = 0;
  #passed: string | undefined;

  constructor(length: number) {
    this.#limit = Math.min(WORK.most, WORK.base + WORK.each * length);
  }

  /** Counts the work; `false` once a limit is passed, and from then on. */
  spend(units: number): boolean {
    this.#work += units;
    if (this.#work > this.#limit) this.#passed ??= `${figure(this.#limit)} steps of reading`;
    return this.#passed === undefined;
  }

  /** Stops the reading for another reason than the work done. */
  exceed(limit: string): void {
    this.#passed ??= limit;
  }

  /** One more program in a command that already has `count`. Each reads all words after it, so their number is bounded. */
  spendOnProgram(count: number, length: number): boolean {
    if (count >= MAX_PROGRAMS) this.#passed ??= `${MAX_PROGRAMS} programs in one command`;
    return this.spend(PER_PROGRAM + length);
  }

  get work(): number {
    return this.#work;
  }

  /** The limit that was passed, for people; `undefined` while there is work left. */
  get passed(): string | undefined {
    return this.#passed;
  }
}

export const TOO_LONG = `${figure(MAX_LENGTH)} characters`;
export const TOO_MANY_PATHS = `${figure(MAX_PATHS)} files`;

/** `Intl` would load all of ICU for one comma. */
function figure(count: number): string {
  return String(count).replace(/(?<=\d)(?=(?:\d{3})+$)/g, ",");
}
