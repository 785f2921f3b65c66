/** Something wrong in a configuration file, and where. Lines and columns count from 1. */
export type ConfigFault = {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Such as `agents.release.policies[0]`. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
};

/** A place in the file, as keys and list positions. */
export type ConfigPath = readonly (string | number)[];

/** A fault before its place in the text is known. `at` says whether the key is meant or what it holds. */
export type Complaint = {
  readonly path: ConfigPath;
  readonly at: "key" | "value";
  /** Where in a text that is the value, counted from 1; its beginning unless told. */
  readonly column?: number;
  readonly message: string;
  readonly hint?: string;
};

/** `agents.release.policies[0]`; names that would be misread are quoted. */
export function pathText(path: ConfigPath): string {
  return path.reduce<string>((before, part) => {
    if (typeof part === "number") return `${before}[${part}]`;
    const name = /^[\p{L}\p{N}_-]+$/u.test(part) ? part : JSON.stringify(part);
    return before === "" ? name : `${before}.${name}`;
  }, "");
}

/** In the order of the file, each said once; of several files in the order in which they come. */
export function sortFaults(faults: readonly ConfigFault[]): readonly ConfigFault[] {
  const files = [...new Set(faults.map(({ file }) => file))];
  const byText = new Map(
    faults.map((fault) => [`${fault.file}:${fault.line}:${fault.column} ${fault.message}`, fault]),
  );
  const rank = ({ file }: ConfigFault) => (files.length === 1 ? 0 : files.indexOf(file));
  return [...byText.values()].sort((a, b) => rank(a) - rank(b) || a.line - b.line || a.column - b.column);
}
