/** A value that survives JSON unchanged. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
/** A JSON object; `undefined` means that the key is absent. */
export type JsonObject = { readonly [key: string]: Json | undefined };
