import type { Slice, State } from "../words/session-view.ts";

/** Every slice that this process has heard of has a place of its own: a name is looked up once, and not at every read. */
const names: { readonly [kind in Slice["kind"]]: string[] } = { STATE: [], LOG: [] };

/** What a slice begins with, by place: shows what its values look like. */
const initials: { readonly [kind in Slice["kind"]]: (State | undefined)[] } = { STATE: [], LOG: [] };

/** Names a part of a session's state. The same name and kind is the same part. */
export function defineSlice<T extends State>(slice: Omit<Slice<T>, "place">): Slice<T> {
  const place = slicePlace(slice.kind, slice.name);
  initials[slice.kind][place] = slice.initial;
  return { ...slice, place };
}

/** What a slice of this name begins with; `undefined` for one that nothing here reads. */
export function sliceInitial(kind: Slice["kind"], name: string): State | undefined {
  return initials[kind][names[kind].indexOf(name)];
}

/** Where a slice of this name stands among those of its kind; at the end, when nobody has named it before. */
export function slicePlace(kind: Slice["kind"], name: string): number {
  const known = names[kind].indexOf(name);
  return known >= 0 ? known : names[kind].push(name) - 1;
}

/** All names of a kind, by their places. */
export function sliceNames(kind: Slice["kind"]): readonly string[] {
  return names[kind];
}
