/** The policies that every agent has, by the name in decisions, and what each does. */
export const BUILT_IN_POLICIES: { readonly [name: string]: string } = {
  "builtin:protected-paths":
    "Denies access to Conduct's own files and to the runtimes' hook settings. Nothing lifts it.",
  "builtin:workspace": "Denies files outside the workspace. An elevated session may leave it.",
  "builtin:high-risk": "Denies tools declared with risk: high. An elevated session may use them.",
  "builtin:complex-command": "Denies calls that are too complex to apply rules to. Nothing lifts it.",
  requirement: "Denies other calls until the requirements in a trusted tool's result are met.",
  "builtin:loop-guard": "Warns about calls that repeat without a new result, then denies them.",
};
