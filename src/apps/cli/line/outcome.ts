/** A command that makes sense after this one. `params` says what may be filled in. */
export type NextAction = {
  readonly command: string;
  readonly description: string;
  readonly params?: { readonly [name: string]: { readonly description: string } };
};

/** What a command came to. `text` is for people; programs get the envelope. */
export type Outcome =
  | { readonly ok: true; readonly result: unknown; readonly text: string; readonly next: readonly NextAction[] }
  | {
      readonly ok: false;
      readonly code: string;
      readonly message: string;
      /** The one thing to do about it. */
      readonly fix: string;
      readonly result?: unknown;
      /** Replaces the usual two lines. */
      readonly text?: string;
      readonly next: readonly NextAction[];
      /** 1 unless told; 2 for a command line that cannot be understood. */
      readonly exitCode?: number;
    };

/** The one form in which every command answers a program. */
export function envelopeOf(command: string, outcome: Outcome): { readonly [key: string]: unknown } {
  const next_actions = outcome.next;
  if (outcome.ok) return { ok: true, command, result: outcome.result, next_actions };
  const { code, message, fix, result } = outcome;
  return {
    ok: false,
    command,
    result,
    error: { code, message },
    fix,
    next_actions,
  };
}
