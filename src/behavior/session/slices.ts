import type { Slice, State } from "../../base/words/slice.ts";

type Values = { readonly [slice: string]: State };

/**
 * All of a session's state, immutable: a change gives new `Slices` that share what did not change.
 * Holding on to one is a snapshot.
 */
export class Slices {
  readonly state: Values;
  readonly log: Values;

  constructor(state: Values = {}, log: Values = {}) {
    this.state = state;
    this.log = log;
  }

  get<T extends State>(slice: Slice<T>): T {
    const value = slice.kind === "STATE" ? this.state[slice.name] : this.log[slice.name];
    // A slice is only ever written through `with`, under the type it is read with.
    return value === undefined ? slice.initial : (value as T);
  }

  with<T extends State>(slice: Slice<T>, value: T): Slices {
    if (Object.is(this.get(slice), value)) return this;
    return slice.kind === "STATE"
      ? new Slices({ ...this.state, [slice.name]: value }, this.log)
      : new Slices(this.state, { ...this.log, [slice.name]: value });
  }

  /** STATE as it was then; LOG as it is now, because what happened has happened. */
  restored(from: Slices): Slices {
    return new Slices(from.state, this.log);
  }
}
