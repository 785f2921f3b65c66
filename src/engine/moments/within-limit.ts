import { errorText } from "../../base/kernel/error-text.ts";

export type LimitFault = { readonly code: "gather-timeout" | "gather-error"; readonly message: string };

/** Runs out of time even when the work never settles; a late answer changes nothing. Never rejects. */
export async function withinLimit<T>(
  limitMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<{ readonly value: T } | { readonly fault: LimitFault }> {
  const late = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, limitMs, undefined);
  });
  try {
    const outcome = await Promise.race([work(late.signal).then((value) => ({ value })), timeout]);
    if (outcome !== undefined) return outcome;
    late.abort();
    return { fault: { code: "gather-timeout", message: `took longer than ${limitMs} ms` } };
  } catch (error) {
    // Work that is done is not told to stop: an abort makes an error with a stack, and would cost more than the gathering.
    late.abort();
    return { fault: { code: "gather-error", message: errorText(error) } };
  } finally {
    clearTimeout(timer);
  }
}
