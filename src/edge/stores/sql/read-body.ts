import { StoreError } from "./store-error.ts";

/** JSON that we wrote ourselves; anything else means that the store is damaged. */
export function readBody<T>(body: string, what: string): T {
  try {
    return JSON.parse(body) as T;
  } catch (error) {
    throw new StoreError(
      "STORE_DAMAGED",
      `${what} is damaged: its row is not JSON`,
      "Put back a copy of the store.",
      error,
    );
  }
}
