import { errorText } from "../../../../base/kernel/error-text.ts";
import { fieldOf, StoreError, type StoreErrorCode } from "../store-error.ts";

/** Explains errors of the server and the network. Returns other errors unchanged. `where` contains no password. */
export function explainPostgres(where: string): (error: unknown) => unknown {
  return (error) => {
    if (error instanceof StoreError) return error;
    const code = fieldOf(error, "code");
    const known = explainState(where, typeof code === "string" ? code : "", errorText(error));
    if (known === undefined) return error;
    return new StoreError(known.code, known.what, known.fix, error);
  };
}

type Explanation = { readonly code: StoreErrorCode; readonly what: string; readonly fix: string };

/**
 * SQLSTATE codes (https://www.postgresql.org/docs/current/errcodes-appendix.html), Node's codes, and messages of `pg`.
 */
function explainState(where: string, code: string, text: string): Explanation | undefined {
  const store = `The PostgreSQL store ${where}`;
  if (/destroyed|after calling end/.test(text)) {
    return { code: "STORE_CLOSED", what: `${store} was closed`, fix: "Open it again." };
  }
  if (/^28/.test(code)) {
    return { code: "STORE_UNAVAILABLE", what: `${store} refuses the user or the password`, fix: "Correct the URL." };
  }
  if (code === "3D000") {
    return { code: "STORE_UNAVAILABLE", what: `${store} is not there: ${text}`, fix: "Create it, or correct the URL." };
  }
  if (code === "42501") {
    const fix = "Grant this role the right to create and use tables in its schema.";
    return { code: "STORE_READ_ONLY", what: `${store} does not let this role do that: ${text}`, fix };
  }
  if (code === "25006") {
    const fix = "Name the primary server in the URL, or end its read-only mode.";
    return { code: "STORE_READ_ONLY", what: `${store} can be read but not written`, fix };
  }
  if (code === "53100") {
    return {
      code: "STORE_FULL",
      what: `The disk of ${store} is full; nothing of this was kept`,
      fix: "Make room there.",
    };
  }
  if (code === "53300" || code === "55P03" || code === "57014" || /timeout/i.test(text)) {
    return {
      code: "STORE_BUSY",
      what: `${store} does not answer in time: ${text}`,
      fix: "Try again; look at its load.",
    };
  }
  if (/^XX00[12]$/.test(code) || code === "42P01") {
    return { code: "STORE_DAMAGED", what: `${store} is damaged: ${text}`, fix: "Put back a copy of it." };
  }
  if (/^(08|57P)|^E[A-Z]+$/.test(code) || /terminated|connection error/i.test(text)) {
    const fix = "Start the server, or correct the URL.";
    return {
      code: "STORE_UNAVAILABLE",
      what: `${store} cannot be reached: ${code === "" ? text : `${text} (${code})`}`,
      fix,
    };
  }
  return undefined;
}
