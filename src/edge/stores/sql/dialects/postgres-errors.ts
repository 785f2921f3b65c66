import { errorText } from "../../../../base/kernel/error-text.ts";
import { fieldOf, StoreError, type StoreErrorCode } from "../store-error.ts";

/**
 * Explains errors of the server and the network: SQLSTATE codes
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html), Node's codes, and messages of `pg`. Returns other
 * errors unchanged. `where` contains no password.
 */
export function explainPostgres(where: string): (error: unknown) => unknown {
  return (error) => {
    if (error instanceof StoreError) return error;
    const [code, text] = [String(fieldOf(error, "code") ?? ""), errorText(error)];
    const is = (kind: StoreErrorCode, what: string, fix: string) =>
      new StoreError(kind, `The PostgreSQL store ${where} ${what}`, fix, error);
    if (/destroyed|after calling end/.test(text)) return is("STORE_CLOSED", "was closed", "Open it again.");
    if (/^28/.test(code)) return is("STORE_UNAVAILABLE", "rejects the user or the password", "Correct the URL.");
    if (code === "3D000") return is("STORE_UNAVAILABLE", `does not exist: ${text}`, "Create it, or correct the URL.");
    if (code === "42501") {
      const fix = "Grant this role the right to create and use tables in its schema.";
      return is("STORE_READ_ONLY", `does not permit this role to do that: ${text}`, fix);
    }
    if (code === "25006") {
      const fix = "Name the primary server in the URL, or end its read-only mode.";
      return is("STORE_READ_ONLY", "can be read but not written", fix);
    }
    if (code === "53100") return is("STORE_FULL", "has a full disk; nothing was saved", "Free some space there.");
    if (/^(53300|55P03|57014)$/.test(code) || /timeout/i.test(text))
      return is("STORE_BUSY", `does not answer in time: ${text}`, "Try again; check its load.");
    if (/^(XX00[12]|42P01)$/.test(code)) return is("STORE_DAMAGED", `is damaged: ${text}`, "Restore it from a backup.");
    if (!/^(08|57P)|^E[A-Z]+$/.test(code) && !/terminated|connection error/i.test(text)) return error;
    const why = code === "" ? text : `${text} (${code})`;
    return is("STORE_UNAVAILABLE", `cannot be reached: ${why}`, "Start the server, or correct the URL.");
  };
}
