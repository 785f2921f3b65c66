import type { TraceReason } from "../../../../src/base/words/prompt.ts";
import { Section } from "../../app/page.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { Text } from "../../ui/text.tsx";
import { figure } from "../../ui/token-bar.tsx";
import type { ShownPrompt } from "./shown-prompt.ts";

const REASONS: { readonly [R in TraceReason]: string } = {
  included: "included",
  "tag-miss": "its tags do not match this session",
  vetoed: "not needed here",
  failed: "failed",
  empty: "empty",
  "over-budget": "over budget",
};
const LIMITS = { maxChars: "its character limit", maxTokens: "its token limit", budget: "the budget" };

type Left = { readonly key: string; readonly contributor: string; readonly why: string; readonly detail: string };

/** What was cut and what is not in it at all, each with why. */
export function LeftOut({ prompt }: { readonly prompt: ShownPrompt }) {
  const rows: readonly Left[] = [
    ...prompt.cuts.map(({ contributor, limit, kept, of }) => ({
      key: `cut ${contributor}`,
      contributor,
      why: `cut by ${LIMITS[limit]}`,
      detail: `${figure(kept)} of ${figure(of)} characters kept`,
    })),
    ...(prompt.left ?? []).map(({ contributor, reason, detail = "" }) => ({
      key: `left ${contributor}`,
      contributor,
      why: REASONS[reason],
      detail,
    })),
  ];
  return (
    <Section title="Left out">
      <DataTable
        label="Left out"
        rows={rows}
        keyOf={({ key }) => key}
        textOf={({ contributor, why, detail }) => `${contributor} ${why} ${detail}`}
        columns={[
          { name: "Contributor", show: ({ contributor }) => <Text className="mono">{contributor}</Text> },
          { name: "Why", show: ({ why }) => why },
          { name: "Detail", show: ({ detail }) => <Text className="quiet">{detail}</Text> },
        ]}
        empty={
          <p className="quiet">
            {prompt.left === undefined
              ? "Nothing was cut. Prompts of this age do not record what was left out."
              : "Nothing was cut or left out."}
          </p>
        }
      />
    </Section>
  );
}
