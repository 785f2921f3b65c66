/** What /think, /verbose and /elevated switch. They last for the session. */
export type Modes = { readonly think: boolean; readonly verbose: boolean; readonly elevated: boolean };

/** What the modes let a call do. They travel with the call and are never stored on a tool. */
export type Permissions = {
  readonly autoApprove: boolean;
  readonly restrictToWorkspace: boolean;
  readonly allowHighRisk: boolean;
};
