/** What `plugins.entries.conduct.config` says. OpenClaw has checked it against the manifest. */
export type OpenClawSettings = {
  readonly socket?: string;
  readonly operators: readonly string[];
  readonly waitMs: number;
};

const WAIT_SECONDS = 300;

export function readSettings(config: Readonly<Record<string, unknown>> = {}): OpenClawSettings {
  const { socket, operators, waitSeconds } = config;
  return {
    ...(typeof socket === "string" && socket !== "" ? { socket } : {}),
    operators: Array.isArray(operators) ? operators.filter((one) => typeof one === "string") : [],
    waitMs: (typeof waitSeconds === "number" ? waitSeconds : WAIT_SECONDS) * 1_000,
  };
}
