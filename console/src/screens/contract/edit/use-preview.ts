import { useEffect, useRef, useState } from "react";
import { keyOf } from "../../../data/cache.ts";
import { type Answer, ask, type GatewayError, type Given, type JsonKey } from "../../../data/client.ts";
import { useStore } from "../../../data/store.tsx";

/** Result of a dry run. While `asking`, the previous result stays. */
export type Preview<T> = {
  readonly asking: boolean;
  readonly value: T | undefined;
  readonly error: GatewayError | undefined;
};

const NOTHING: Preview<never> = { asking: false, value: undefined, error: undefined };
/** Delay after the last key. */
const PAUSE_MS = 200;

/**
 * Sends a dry run shortly after the last key. `given` must contain `dryRun`; without `given`, nothing is sent. A
 * change of `after`, such as the contract's hash, sends it again.
 */
export function usePreview<K extends JsonKey>(
  route: K,
  given: Given<K> | undefined,
  after: string | number = "",
): Preview<Answer<K>> {
  const { signOut } = useStore();
  const [found, setFound] = useState<Preview<Answer<K>>>(NOTHING);
  const key = given === undefined ? undefined : keyOf(route, given);
  const args = useRef(given);
  args.current = given;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says whether the arguments are others
  useEffect(() => {
    if (key === undefined) {
      setFound(NOTHING);
      return;
    }
    setFound((last) => ({ ...last, asking: true }));
    const ending = new AbortController();
    const timer = setTimeout(async () => {
      const outcome = await ask(route, args.current, { signal: ending.signal });
      if (ending.signal.aborted) return;
      if (!outcome.ok && outcome.error.status === 401) signOut();
      setFound(
        outcome.ok
          ? { asking: false, value: outcome.value, error: undefined }
          : { asking: false, value: undefined, error: outcome.error },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [route, key, after, signOut]);
  return found;
}

/** Whether the gateway rejected the change. Other errors, such as a lost connection, can be retried. */
export function isRefusal(error: GatewayError | undefined): boolean {
  // An expired login or a rate limit says nothing about the change.
  return error !== undefined && error.status >= 400 && error.status < 500 && ![401, 408, 429].includes(error.status);
}

/** Returns the ids of the directives that conflict with a rejected change. */
export function againstOf(error: GatewayError | undefined): readonly string[] {
  const against = error?.problem.against;
  return Array.isArray(against) ? against.filter((id): id is string => typeof id === "string") : [];
}
