/** Returns a new unique id such as `d_8Kq2`. */
export interface Ids {
  next(prefix: string): string;
}
