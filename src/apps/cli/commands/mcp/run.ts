import type { Arguments } from "../../line/command.ts";
import type { Outcome } from "../../line/outcome.ts";
import type { McpHost } from "./host.ts";

/** What both commands work with. `log` is for the person: stdout belongs to the protocol. */
export type McpRun = {
  readonly args: Arguments;
  readonly opened: McpHost;
  readonly waitMs: number;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: (line: string) => void;
};

/** Resolves when the person, or the machine, ends it. */
export function interrupted(): { readonly over: Promise<void>; forget(): void } {
  const { promise: over, resolve: stop } = Promise.withResolvers<void>();
  const end = () => stop();
  process.once("SIGINT", end).once("SIGTERM", end);
  return { over, forget: () => void process.off("SIGINT", end).off("SIGTERM", end) };
}

export function wrong(message: string, fix: string): Outcome {
  return { ok: false, code: "BAD_ARGUMENT", message, fix, next: [], exitCode: 2 };
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
