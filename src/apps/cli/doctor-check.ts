/** One thing that was looked at. `warns`: it works, but a person should know; `fails`: something that should hold does not. */
export type Check = {
  readonly kind: "holds" | "warns" | "fails";
  readonly what: string;
  readonly text: string;
  /** What to do about it. */
  readonly fix?: string;
};

/** What was found about one runtime; `open` is what Conduct cannot enforce there. */
export type RuntimeCheckup = {
  readonly runtime: string;
  readonly title: string;
  readonly checks: readonly Check[];
  readonly open: string;
};

export function holds(what: string, text: string): Check {
  return { kind: "holds", what, text };
}

export function warns(what: string, text: string, fix?: string): Check {
  return { kind: "warns", what, text, ...(fix === undefined ? {} : { fix }) };
}

export function fails(what: string, text: string, fix: string): Check {
  return { kind: "fails", what, text, fix };
}
