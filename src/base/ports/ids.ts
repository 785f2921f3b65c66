/** Gives an id that was never given before, such as `d_8Kq2`. */
export interface Ids {
  next(prefix: string): string;
}
