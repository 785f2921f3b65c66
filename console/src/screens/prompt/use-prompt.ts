import { useMemo } from "react";
import { type Query, useQuery } from "../../data/use-query.ts";
import type { PromptSource } from "./prompt-source.ts";
import { pastPrompt, previewedPrompt, type ShownPrompt } from "./shown-prompt.ts";

/** Loads the selected prompt; `undefined` if none is selected. */
export function usePrompt(source: PromptSource): Query<ShownPrompt> | undefined {
  const isNewest = source.kind === "newest";
  const newest = useQuery(
    "GET /api/sessions/{id}/prompts",
    { params: { id: isNewest ? source.session : "" }, query: { limit: 1 } },
    { when: isNewest },
  );
  const found = newest.state === "ready" ? newest.data.prompts[0]?.event : undefined;
  const event = source.kind === "event" ? source.event : isNewest ? found : undefined;
  const byEvent = useQuery(
    "GET /api/prompts/{event}",
    { params: { event: event ?? "" } },
    { when: event !== undefined },
  );
  const isTurn = source.kind === "turn";
  const byTurn = useQuery(
    "GET /api/sessions/{id}/turns/{turn}/prompt",
    { params: { id: isTurn ? source.session : "", turn: isTurn ? source.turn : "" } },
    { when: isTurn },
  );
  const isPreview = source.kind === "preview";
  const preview = useQuery(
    "POST /api/prompt/preview",
    { body: isPreview ? source.body : { agent: "" } },
    { when: isPreview, keep: true },
  );
  const past = isTurn ? byTurn : byEvent;
  const pastData = past.state === "ready" ? past.data : undefined;
  const previewData = preview.state === "ready" ? preview.data : undefined;
  const shown = useMemo(
    () =>
      isPreview
        ? previewData === undefined
          ? undefined
          : previewedPrompt(previewData)
        : pastData === undefined
          ? undefined
          : pastPrompt(pastData),
    [isPreview, previewData, pastData],
  );
  if (source.kind === "none") return undefined;
  if (isNewest && newest.state === "failed") return newest;
  if (isNewest && newest.state === "ready" && found === undefined) return undefined;
  const query = isPreview ? preview : past;
  return query.state === "ready" && shown !== undefined ? { ...query, data: shown } : (query as Query<ShownPrompt>);
}
