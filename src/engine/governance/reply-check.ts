import { compilePredicate } from "../../behavior/policy/rules/predicate/predicate.ts";

/** A reply as an expression sees it. */
export type SeenReply = {
  readonly text: string;
  readonly words: number;
  readonly lines: number;
  readonly characters: number;
};

/** What an expression on a reply may name. */
const NAMES = { text: "string", words: "number", lines: "number", characters: "number" } as const;

/** Compiles an expression on a reply: true, false or unknown. Its cost is bounded. */
export function compileReplyCheck(
  source: string,
): ((reply: SeenReply) => boolean | undefined) | { readonly fault: string } {
  const compiled = compilePredicate(source, NAMES);
  if ("fault" in compiled) {
    const { message, column, hint } = compiled.fault;
    return {
      fault: `${message}${column === undefined ? "" : ` at ${column}`}${hint === undefined ? "" : ` (${hint})`}`,
    };
  }
  return (reply) =>
    compiled.predicate({
      tool: "",
      args: { ...reply },
      actions: [],
      session: { turn: 0, channel: "", user: "", agent: "", elevated: false },
      fileExists: () => undefined,
    });
}
