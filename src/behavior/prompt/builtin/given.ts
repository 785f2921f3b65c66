/** What other rooms know of the agent. */
export type GivenToBuiltins = {
  /** What has to come before what, a line each, with the names that the model sees. */
  prerequisites(toolName: (tool: string) => string): readonly string[];
  /** Its checkpoint tools. */
  readonly checkpoints: readonly { readonly name: string; readonly description: string }[];
};
