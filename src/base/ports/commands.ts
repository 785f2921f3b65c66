export type CommandResult = {
  readonly exitCode: number | undefined;
  readonly output: string;
  readonly timedOut: boolean;
};

/**
 * Runs a shell command in the workspace. `output` is stdout and stderr together; only the end of a long output is
 * returned.
 */
export interface Commands {
  /** Resolves when the command has ended or was stopped. */
  run(command: string, options: { readonly timeoutMs: number; readonly signal?: AbortSignal }): Promise<CommandResult>;
}
