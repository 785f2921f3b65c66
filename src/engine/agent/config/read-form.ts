import type { Complaint, ConfigFault } from "./config-fault.ts";
import type { ConfigSource, Located } from "./config-source.ts";
import { type Form, schemaComplaints } from "./schema-complaints.ts";

/** A text that is no YAML, or one that is: then what it says when it has the right form, and all in which it has not. */
export type ReadForm<T> =
  | { readonly kind: "broken"; readonly faults: readonly ConfigFault[] }
  | { readonly kind: "read"; readonly data?: T; readonly complaints: readonly Complaint[] };

/** Of a text that is no YAML the faults before its first slip are told too; what follows it is not guessed at. */
export function readForm<T>(source: ConfigSource, form: Form<T>): ReadForm<T> {
  if (!source.readable) return { kind: "broken", faults: source.faults };
  const read = form.schema.safeParse(source.value);
  const complaints = read.success ? [] : schemaComplaints(read.error, source.value, form);
  if (source.faults.length === 0) return { kind: "read", ...(read.success ? { data: read.data } : {}), complaints };
  // What the text says up to its first slip is reliable, and so are the faults in it; what seems missing may follow later.
  const found = complaints
    .filter(({ message }) => !/ is (missing|empty)$/.test(message))
    .map((one) => source.locate(one));
  const sure = found.filter(({ offset }) => offset < source.reliableTo);
  return { kind: "broken", faults: [...source.faults, ...sure.map(withoutOffset)] };
}

/** A fault as it is told. */
export function withoutOffset({ offset: _, ...fault }: Located): ConfigFault {
  return fault;
}
