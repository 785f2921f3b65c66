import type { Slice, State } from "../words/session-view.ts";

/** Each slice has a fixed index in this process, so reads need no lookup by name. */
const names: { readonly [kind in Slice["kind"]]: string[] } = { STATE: [], LOG: [] };

/** Initial values by index; they show the form of a slice's values. */
const initials: { readonly [kind in Slice["kind"]]: (State | undefined)[] } = { STATE: [], LOG: [] };

/** Defines a part of a session's state. The same name and kind is the same part. */
export function defineSlice<T extends State>(slice: Omit<Slice<T>, "place">): Slice<T> {
  const place = slicePlace(slice.kind, slice.name);
  initials[slice.kind][place] = slice.initial;
  return { ...slice, place };
}

/** Initial value of a slice; `undefined` if no code here defines it. */
export function sliceInitial(kind: Slice["kind"], name: string): State | undefined {
  return initials[kind][names[kind].indexOf(name)];
}

/** Index of a slice among those of its kind; a new name is appended. */
export function slicePlace(kind: Slice["kind"], name: string): number {
  const known = names[kind].indexOf(name);
  return known >= 0 ? known : names[kind].push(name) - 1;
}

export function sliceNames(kind: Slice["kind"]): readonly string[] {
  return names[kind];
}
