/** The network of a sandbox: a unix socket of the gateway's filtering proxy, the only way out. */
export type SandboxProxy = {
  readonly socket: string;
  /** Whether programs have to ask the proxy for loopback addresses too. */
  readonly loopback: boolean;
};

/** Where a sandboxed command runs, and what it can reach. */
export type SandboxPlace = {
  /** The working folder, and the only folder of the machine that the command can change. */
  readonly workspace: string;
  /** Without one the command has no network. */
  readonly proxy?: SandboxProxy | undefined;
};

/** A command line to be started as it is. `env` is the whole environment. */
export type WrappedCommand = {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
};

/** Gives the command line that runs `command` in the sandbox: shell commands, and any server that a hosted agent needs. */
export type WrapCommand = (command: readonly string[], place: SandboxPlace) => WrappedCommand;

/** The operating system's sandbox, as it was found by running it once. */
export type Sandbox =
  | { readonly kind: "bubblewrap"; readonly version: string; readonly wrap: WrapCommand }
  /** `why` is one sentence without its full stop; `fix` is a command or a short instruction. */
  | { readonly kind: "none"; readonly why: string; readonly fix: string };

/** The sandbox in a few words, for the start-up banner and `conduct doctor`. */
export function describeSandbox(sandbox: Sandbox): string {
  if (sandbox.kind === "bubblewrap") return `bubblewrap ${sandbox.version}`;
  return `none (${sandbox.why}): only operators may use agents that run commands; ${sandbox.fix}`;
}
