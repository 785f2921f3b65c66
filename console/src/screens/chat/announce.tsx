import { useEffect, useRef, useState } from "react";
import { Text } from "../../ui/text.tsx";

/** Announces the outcome of the last turn to screen readers, once. */
export function Announce({
  turns,
}: {
  readonly turns: readonly { readonly id: string; readonly status: string; readonly answer?: string }[];
}) {
  const last = turns.at(-1);
  const seen = useRef<string | undefined>(undefined);
  const isOver = last !== undefined && last.status !== "running" && last.status !== "queued";
  const [words, setWords] = useState("");
  useEffect(() => {
    if (last === undefined) return;
    if (!isOver) seen.current = last.id;
    else if (seen.current === last.id) {
      seen.current = undefined;
      setWords(`${last.status}: ${last.answer ?? ""}`);
    }
  }, [last, isOver]);
  return (
    <p className="unseen" role="status" aria-live="polite">
      <Text>{words}</Text>
    </p>
  );
}
