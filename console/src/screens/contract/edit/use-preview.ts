import { useEffect, useRef, useState } from "react";
import { keyOf } from "../../../data/cache.ts";
import { type Answer, ask, type GatewayError, type Given, type JsonKey } from "../../../data/client.ts";
import { useStore } from "../../../data/store.tsx";

/** What a change would come to. While another answer is on its way, `asking`, the last one stays. */
export type Preview<T> = {
  readonly asking: boolean;
  readonly value: T | undefined;
  readonly error: GatewayError | undefined;
};

const NOTHING: Preview<never> = { asking: false, value: undefined, error: undefined };
/** So long nothing is typed before it is asked. */
const PAUSE_MS = 200;

/**
 * Asks a route what a change would do, a moment after the last key. `given` has to carry `dryRun`; without it nothing is asked. `after`:
 * what the answer rests on, such as the contract's version; when that is another, it is asked anew.
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

/** Whether it was refused, rather than that the gateway could not be asked: then the same may work in a moment. */
export function isRefusal(error: GatewayError | undefined): boolean {
  // A login that has ended, or too many requests, says nothing about the change: it can be sent again.
  return error !== undefined && error.status >= 400 && error.status < 500 && ![401, 408, 429].includes(error.status);
}

/** The directives that a refused change goes against. */
export function againstOf(error: GatewayError | undefined): readonly string[] {
  const against = error?.problem.against;
  return Array.isArray(against) ? against.filter((id): id is string => typeof id === "string") : [];
}
