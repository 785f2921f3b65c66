import { errorText } from "../../../../base/kernel/error-text.ts";
import { StoreError } from "../../../../edge/stores/sql/store-error.ts";
import { VERIFY, type Wrong } from "./answers.ts";

/** A store that cannot be used, or whatever else kept us from an answer. */
export function failure(error: unknown): Wrong {
  if (error instanceof StoreError) {
    const { code, fix } = error;
    return { ok: false, code, message: error.message.replace(`. ${fix}`, ""), fix, next: [] };
  }
  const fix = "try again; if it stays so, run: conduct journal verify";
  return { ok: false, code: "GATEWAY_BEHAVIOR_FAILED", message: errorText(error), fix, next: [VERIFY] };
}
