/** Network of a sandbox: the unix socket of the gateway's filtering proxy is the only way out. */
export type SandboxProxy = {
  readonly socket: string;
  /** Must programs use the proxy for loopback addresses too? */
  readonly loopback: boolean;
};

export type SandboxPlace = {
  /** Working folder; the only folder of the machine that the command can change. */
  readonly workspace: string;
  /** Without one the command has no network. */
  readonly proxy?: SandboxProxy | undefined;
};

/** A command line ready to run. `env` is the complete environment. */
export type WrappedCommand = {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
};

/**
 * Returns the command line that runs `command` in the sandbox. Used for shell commands and for servers of hosted
 * agents.
 */
export type WrapCommand = (command: readonly string[], place: SandboxPlace) => WrappedCommand;

/** The operating system's sandbox, detected by running it once. */
export type Sandbox =
  | { readonly kind: "bubblewrap"; readonly version: string; readonly wrap: WrapCommand }
  /** `why` is one sentence without its full stop; `fix` is a command or a short instruction. */
  | { readonly kind: "none"; readonly why: string; readonly fix: string };

/** Short description for the start-up banner and `conduct doctor`. */
export function describeSandbox(sandbox: Sandbox): string {
  if (sandbox.kind === "bubblewrap") return `bubblewrap ${sandbox.version}`;
  return `none (${sandbox.why}): only operators may use agents that run commands; ${sandbox.fix}`;
}
