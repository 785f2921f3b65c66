export type CommandResult = {
  readonly exitCode: number | undefined;
  readonly output: string;
  readonly timedOut: boolean;
};

export type CommandOptions = {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Returns the whole output up to a host's bound; by default only the end of a long one. */
  readonly whole?: boolean;
};

/** Runs a shell command in the workspace. `output` is stdout and stderr together. */
export interface Commands {
  /** Resolves when the command has ended or was stopped. */
  run(command: string, options: CommandOptions): Promise<CommandResult>;
}
