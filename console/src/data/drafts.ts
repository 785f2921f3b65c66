import { useCallback, useEffect, useRef, useState } from "react";
import { useUser } from "./store.tsx";

const PREFIX = "conduct draft ";
const keyOf = (user: string, form: string) => `${PREFIX}${JSON.stringify([user, form])}`;

/** Unsent input of a form, stored for this tab. Never used for secrets. */
export function readDraft<T>(user: string, form: string): T | undefined {
  try {
    const kept = sessionStorage.getItem(keyOf(user, form));
    return kept === null ? undefined : (JSON.parse(kept) as T);
  } catch {
    return undefined;
  }
}

/** `undefined` deletes the draft. If the browser allows no storage, drafts are lost on reload. */
export function writeDraft(user: string, form: string, draft: unknown): void {
  try {
    if (draft === undefined) sessionStorage.removeItem(keyOf(user, form));
    else sessionStorage.setItem(keyOf(user, form), JSON.stringify(draft));
  } catch {
    // The storage is full or disabled.
  }
}

/** Called on sign-out, so that the next person at this browser finds no drafts. */
export function dropDrafts(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  } catch {
    // Without storage there are no drafts.
  }
}

/**
 * Like `useState`, but the value survives a reload. The draft is deleted when the form is closed or `sent` is called.
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
