import type { ShellCommand } from "./shell-script.ts";
import type { ShellWord } from "./shell-word.ts";

/** Likely values of the variables that a script passes on to the shells that it starts. */
export class InheritedVariables {
  readonly #assigned: Map<string, string>;
  readonly #exported: Map<string, string>;

  constructor(inherited: ReadonlyMap<string, string> = new Map()) {
    this.#assigned = new Map(inherited);
    this.#exported = new Map(inherited);
  }

  note({ words, assignments }: ShellCommand): void {
    const [first, ...rest] = words;
    if (first === undefined)
      for (const { name, value } of assignments) {
        this.#assigned.set(name, likelyText(value));
        if (this.#exported.has(name)) this.#exported.set(name, likelyText(value));
      }
    const isExport = first?.text === "export" || (/^(?:declare|typeset)$/.test(first?.text ?? "") && exports(rest));
    if (!isExport) return;
    for (const [name, value = this.#assigned.get(name)] of rest.map(pairOf))
      if (value !== undefined) this.#exported.set(name, value);
  }

  /** Of a command: `X=1 bash -c …` and `env X=1 bash -c …` too. */
  to({ words, assignments }: ShellCommand): ReadonlyMap<string, string> {
    const own = words.some(({ text }) => text === "env" || text === "sudo") ? words.map(pairOf) : [];
    const given = own.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
    return new Map([
      ...this.#exported,
      ...assignments.map(({ name, value }) => [name, likelyText(value)] as const),
      ...given,
    ]);
  }
}

const exports = (words: readonly ShellWord[]) => words.some(({ text }) => /^-[a-zA-Z]*x/.test(text));

/** The name and the value of `NAME=value`; other words have no value. */
function pairOf(word: ShellWord): readonly [string, string?] {
  const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(likelyText(word)) ?? [];
  return name === undefined ? [word.text] : [name, value];
}

function likelyText({ text, unknown }: ShellWord): string {
  return unknown?.likely?.join(" ") ?? text;
}
