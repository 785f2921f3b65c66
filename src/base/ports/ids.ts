/** Returns a new unique id such as `d_8Kq2`. */
export interface Ids {
  /** Returns an id that starts with `prefix` and an underscore. */
  next(prefix: string): string;
}
