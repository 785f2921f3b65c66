import { sliceNames, slicePlace } from "../../../base/kernel/define-slice.ts";
import type { Slice, State } from "../../../base/words/slice.ts";

type Kind = Slice["kind"];
type Values = { readonly [slice: string]: State };
/** By place; `undefined` for a slice that was never written. */
type Cells = readonly (State | undefined)[];

/**
 * All of a session's state, immutable: a change gives new `Slices` that share what did not change.
 * Holding on to one is a snapshot.
 */
export class Slices {
  readonly #state: Cells;
  readonly #log: Cells;

  private constructor(state: Cells, log: Cells) {
    this.#state = state;
    this.#log = log;
  }

  static readonly empty = new Slices([], []);

  /** What a snapshot brings; a slice that nothing here reads is kept as it is. */
  static of(state: Values, log: Values): Slices {
    return new Slices(cellsOf("STATE", state), cellsOf("LOG", log));
  }

  get<T extends State>(slice: Slice<T>): T {
    const value = slice.kind === "STATE" ? this.#state[slice.place] : this.#log[slice.place];
    // A slice is only ever written through `with`, under the type it is read with.
    return value === undefined ? slice.initial : (value as T);
  }

  with<T extends State>(slice: Slice<T>, value: T): Slices {
    if (Object.is(this.get(slice), value)) return this;
    return slice.kind === "STATE"
      ? new Slices(written(this.#state, slice.place, value), this.#log)
      : new Slices(this.#state, written(this.#log, slice.place, value));
  }

  /** STATE as it was then; LOG as it is now, because what happened has happened. */
  restored(from: Slices): Slices {
    return new Slices(from.#state, this.#log);
  }

  /** All of one kind, by name. */
  named(kind: Kind): Values {
    const found: [string, State][] = [];
    for (const [place, value] of (kind === "STATE" ? this.#state : this.#log).entries()) {
      const name = sliceNames(kind)[place];
      if (value !== undefined && name !== undefined) found.push([name, value]);
    }
    return Object.fromEntries(found);
  }

  /** Every slice whose value is not the very same in both. */
  differing(other: Slices): readonly Differing[] {
    if (this === other) return [];
    return [...differingIn("STATE", this.#state, other.#state), ...differingIn("LOG", this.#log, other.#log)];
  }
}

type Differing = { readonly name: string; readonly mine: State | undefined; readonly theirs: State | undefined };

function differingIn(kind: Kind, mine: Cells, theirs: Cells): readonly Differing[] {
  if (mine === theirs) return [];
  return sliceNames(kind).flatMap((name, place) =>
    mine[place] === theirs[place] ? [] : [{ name, mine: mine[place], theirs: theirs[place] }],
  );
}

function cellsOf(kind: Kind, values: Values): Cells {
  let cells: Cells = [];
  for (const [name, value] of Object.entries(values)) cells = written(cells, slicePlace(kind, name), value);
  return cells;
}

function written(cells: Cells, place: number, value: State): Cells {
  const copy = cells.slice();
  while (copy.length < place) copy.push(undefined);
  copy[place] = value;
  return copy;
}
