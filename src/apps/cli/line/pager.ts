import { spawnSync } from "node:child_process";
import { insideAgent } from "../../../edge/host/trust/inside-agent.ts";

const DEFAULT = "less -FRX";
/** The shell cannot run the pager, or cannot find it. */
const NO_PROGRAM = [126, 127];

/** Shows the text in `$PAGER`. False if there is no pager: then the caller prints the text. */
export function page(text: string, env: NodeJS.ProcessEnv = process.env): boolean {
  const { PAGER: pager = DEFAULT } = env;
  // An agent that runs this in a terminal would wait for a key forever.
  if (pager.trim() === "" || pager === "cat" || env.TERM === "dumb" || insideAgent(env) !== undefined) return false;
  // Ctrl-C belongs to the pager while it runs.
  const ignore = () => undefined;
  process.on("SIGINT", ignore);
  try {
    const { status, error } = spawnSync("sh", ["-c", pager], {
      input: text,
      stdio: ["pipe", "inherit", "ignore"],
      env: { LESS: "FRX", ...env },
    });
    const isUnread = error !== undefined && "code" in error && error.code === "EPIPE";
    return (error === undefined || isUnread) && !NO_PROGRAM.includes(status ?? 0);
  } finally {
    process.off("SIGINT", ignore);
  }
}
