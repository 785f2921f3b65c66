import { useCallback, useEffect, useRef, useState } from "react";
import { useUser } from "./store.tsx";

const PREFIX = "conduct draft ";
const keyOf = (user: string, form: string) => `${PREFIX}${JSON.stringify([user, form])}`;

/** What a person has typed into a form and not sent, as this tab knows it. Never used for secrets. */
export function readDraft<T>(user: string, form: string): T | undefined {
  try {
    const kept = sessionStorage.getItem(keyOf(user, form));
    return kept === null ? undefined : (JSON.parse(kept) as T);
  } catch {
    return undefined;
  }
}

/** `undefined` removes it. A browser that refuses to store anything loses drafts on reload, and nothing else. */
export function writeDraft(user: string, form: string, draft: unknown): void {
  try {
    if (draft === undefined) sessionStorage.removeItem(keyOf(user, form));
    else sessionStorage.setItem(keyOf(user, form), JSON.stringify(draft));
  } catch {
    // Full, or switched off.
  }
}

/** Whoever signs out leaves nothing behind for the next person at this browser. */
export function dropDrafts(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  } catch {
    // There is no storage, so there are no drafts.
  }
}

/**
 * As `useState`, and what was set is there again after the page was loaded anew. It is forgotten when the form is left or
 * `sent` is called.
 */
export function useDraft<T>(form: string, initial: () => T) {
  const { id: user } = useUser();
  const [value, setValue] = useState<T>(() => readDraft<T>(user, form) ?? initial());
  const isTouched = useRef(false);
  const set = useCallback((next: T | ((now: T) => T)) => {
    isTouched.current = true;
    setValue(next);
  }, []);
  useEffect(() => {
    if (isTouched.current) writeDraft(user, form, value);
  }, [user, form, value]);
  useEffect(() => () => writeDraft(user, form, undefined), [user, form]);
  const sent = useCallback(() => {
    isTouched.current = false;
    writeDraft(user, form, undefined);
  }, [user, form]);
  return [value, set, sent] as const;
}
