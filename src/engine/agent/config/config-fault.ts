/** A fault in a configuration file. Lines and columns count from 1. */
export type ConfigFault = {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Such as `agents.release.policies[0]`. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
};

/** A place in the file as keys and list indexes. */
export type ConfigPath = readonly (string | number)[];

/** A fault before its place in the text is known. It is about the value, unless `at` says that it is about the key. */
export type Complaint = {
  readonly path: ConfigPath;
  readonly at?: "key" | undefined;
  /** Column within a string value, from 1. */
  readonly column?: number;
  readonly message: string;
  readonly hint?: string;
};

/** `agents.release.policies[0]`; unusual names are quoted. */
export function pathText(path: ConfigPath): string {
  return path.reduce<string>((before, part) => {
    if (typeof part === "number") return `${before}[${part}]`;
    const name = /^[\p{L}\p{N}_-]+$/u.test(part) ? part : JSON.stringify(part);
    return before === "" ? name : `${before}.${name}`;
  }, "");
}

/** Sorted by file, line and column, without duplicates. */
export function sortFaults(faults: readonly ConfigFault[]): readonly ConfigFault[] {
  const files = [...new Set(faults.map(({ file }) => file))];
  const byText = new Map(
    faults.map((fault) => [`${fault.file}:${fault.line}:${fault.column} ${fault.message}`, fault]),
  );
  const rank = ({ file }: ConfigFault) => (files.length === 1 ? 0 : files.indexOf(file));
  return [...byText.values()].sort((a, b) => rank(a) - rank(b) || a.line - b.line || a.column - b.column);
}
