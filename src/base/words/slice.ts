import type { PersistentMap } from "../kernel/persistent-map.ts";

/** A value that a session may keep: JSON, with persistent maps where it grows. Never changed in place. */
export type State =
  | null
  | boolean
  | number
  | string
  | readonly State[]
  | PersistentMap<State>
  | { readonly [key: string]: State | undefined };

/** One part of a session's state. STATE is rolled back by `restore`; LOG is kept, because it tells what really happened. */
export type Slice<T extends State = State> = {
  readonly name: string;
  readonly kind: "STATE" | "LOG";
  readonly initial: T;
  /** Where it stands among those of its kind, in this process. */
  readonly place: number;
};
