import { z } from "zod";
import { MomentError } from "../../../edge/host/moments/moment-error.ts";
import { StoreError } from "../../../edge/stores/sql/store-error.ts";
import { SessionError } from "../../../engine/session/session-options.ts";
import { StoreAwayError } from "../conversations/patient-stores.ts";
import { BusyError } from "../conversations/turns.ts";
import { CommandsRefusedError } from "../sandbox/hosted-commands.ts";

/** A rejected request, sent as problem+json (RFC 9457). `detail` adds fields to it. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly fix: string | undefined;
  readonly detail: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    code: string,
    message: string,
    fix?: string,
    detail: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.name = "Problem";
    this.status = status;
    this.code = code;
    this.fix = fix;
    this.detail = detail;
  }
}

export const notFound = (what: string): Problem =>
  new Problem(404, "NOT_FOUND", `There is no ${what}.`, "Check the spelling, or list what exists.");
export const forbidden = (why: string): Problem => new Problem(403, "FORBIDDEN", why);
export const badInput = (message: string, fix?: string): Problem => new Problem(400, "BAD_INPUT", message, fix);

/** Returns the value. Throws a 404 `Problem` if there is none. */
export function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw notFound(what);
  return value;
}

/** Converts any failure to problem+json. Unexpected errors are reported and not described, so no secret leaks. */
export function problemResponse(error: unknown, report: (error: unknown) => void): Response {
  const { status, code, message, fix, detail } = problemOf(error, report);
  const body = { type: "about:blank", title: code, status, code, detail: message, fix, ...detail };
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/problem+json", "cache-control": "no-store" },
  });
}

const RETRY = "Try again in a moment. If it keeps failing, look at the gateway's output.";

function problemOf(error: unknown, report: (error: unknown) => void): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof MomentError) return new Problem(error.status, error.code, error.message, error.fix);
  if (error instanceof BusyError) return new Problem(429, "BUSY", error.message);
  if (error instanceof CommandsRefusedError) return new Problem(403, "OPERATORS_ONLY", error.message);
  if (error instanceof z.ZodError) return invalidInput(error);
  if (error instanceof SessionError && error.code === "unknown-agent")
    return new Problem(
      409,
      "AGENT_GONE",
      `This conversation cannot continue: ${error.message}.`,
      "Start a new conversation, or add the agent to conduct.yaml again.",
    );
  report(error);
  if (error instanceof StoreAwayError || error instanceof StoreError)
    return new Problem(503, "STORE_UNAVAILABLE", "The gateway's store does not respond.", RETRY);
  return new Problem(500, "INTERNAL", "Something failed inside the gateway.", RETRY);
}

/** Lists every invalid field, and puts the first one into the message. */
function invalidInput({ issues }: z.ZodError): Problem {
  const faults = issues.map(({ path, message }) => ({ at: path.join("."), message }));
  const [first] = faults;
  const where = first === undefined || first.at === "" ? "" : `${first.at}: `;
  return new Problem(400, "BAD_INPUT", `${where}${first?.message ?? "invalid input"}`, undefined, { faults });
}
