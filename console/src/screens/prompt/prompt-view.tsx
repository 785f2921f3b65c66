import { memo, type ReactNode, useState } from "react";
import { Link } from "wouter";
import type { TraceReason } from "../../../../src/base/words/prompt.ts";
import { useHotkeys } from "../../app/hotkeys.tsx";
import { Section } from "../../app/page.tsx";
import { Row, sessionHref } from "../../moments/moment-details.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { DataTable } from "../../ui/data/data-table.tsx";
import { figure, TokenBar } from "../../ui/data/token-bar.tsx";
import { SearchField } from "../../ui/field.tsx";
import { copyText, Id } from "../../ui/id.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import style from "./prompt.module.css";
import type { ShownPrompt, ShownSection } from "./shown-prompt.ts";

/** Shows every line with its contributor in the margin, and a rule where the provider's cache ends. */
const PromptLines = memo(function PromptLines({
  prompt,
  wanted,
}: {
  readonly prompt: ShownPrompt;
  /** Filters by line text or by contributor name. */
  readonly wanted: string;
}) {
  const { sections, tokens, prefixTokens } = prompt;
  const end = sections.findIndex(({ cached }) => !cached);
  const stable = tokens === 0 ? 0 : Math.floor((prefixTokens / tokens) * 100);
  const shown = sections.map((section) => linesOf(section, wanted.toLowerCase()));
  if (wanted !== "" && shown.every((lines) => lines === undefined))
    return (
      <p className="quiet" role="status">
        Nothing in this prompt matches “<Text>{wanted}</Text>”.
      </p>
    );
  return (
    <ol className={style.sections} aria-label="Prompt">
      {sections.map((section, at) => {
        const lines = shown[at];
        return [
          at === end && (
            <li key="the cache ends" className={style.boundary}>
              <span>
                end of the cache: {stable} % is cacheable, {figure(tokens - prefixTokens)} tokens change every turn
              </span>
            </li>
          ),
          lines !== undefined && (
            <li key={`${section.contributor} ${section.hash}`} className={style.section}>
              <Margin section={section} of={tokens} />
              {section.text === undefined ? (
                <p className={classes(style.text, "quiet")}>The text has expired.</p>
              ) : (
                <ol className={style.text} aria-label={`Lines of ${section.contributor}`}>
                  {lines.map(({ number, text }) => (
                    <li key={number} className={style.line} data-line={number}>
                      <span className={style.number} aria-hidden="true">
                        {section.lines === undefined ? "" : section.lines.from + number}
                      </span>
                      <Text className={style.said}>{text}</Text>
                    </li>
                  ))}
                </ol>
              )}
            </li>
          ),
        ];
      })}
      {end === -1 && sections.length > 0 && (
        <li className={style.boundary}>
          <span>the whole prompt is cacheable</span>
        </li>
      )}
    </ol>
  );
});

function Margin({ section, of }: { readonly section: ShownSection; readonly of: number }) {
  const { contributor, source, zone, tokens } = section;
  const share = of === 0 ? 0 : Math.round((tokens / of) * 1_000) / 10;
  return (
    <div className={style.margin}>
      <div className={style.stays}>
        <Text className={style.contributor}>{contributor}</Text>
        <span className="quiet small">{[source, zone].filter((one) => one !== undefined).join(" · ")}</span>
        <span className={style.tokens}>
          <TokenBar part={tokens} of={of} label={`tokens of ${contributor}`} /> {figure(tokens)}
          <span className="quiet small"> {share} %</span>
        </span>
      </div>
    </div>
  );
}

/** Returns the matching lines of a section, counted from 0; `undefined` if there are none. */
function linesOf(
  { contributor, text }: ShownSection,
  wanted: string,
): readonly { readonly number: number; readonly text: string }[] | undefined {
  const lines = (text ?? "").split("\n").map((one, number) => ({ number, text: one }));
  if (wanted === "" || contributor.toLowerCase().includes(wanted)) return lines;
  const found = lines.filter((line) => line.text.toLowerCase().includes(wanted));
  return found.length === 0 ? undefined : found;
}

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

/** Lists truncated and omitted parts, each with the reason. */
function LeftOut({ prompt }: { readonly prompt: ShownPrompt }) {
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

/** Shows a prompt: figures, lines and omitted parts. `beside` is shown between figures and lines. */
export function PromptView({
  prompt,
  compare,
  beside,
}: {
  readonly prompt: ShownPrompt;
  readonly compare: { readonly label: string; readonly run: () => void };
  readonly beside: ReactNode;
}) {
  const tell = useToast();
  const [search, setSearch] = useState("");
  const { text, past, tokens, prefixTokens } = prompt;
  const copy = () => {
    if (text === undefined) return;
    copyText(text).then(
      () => tell(`Copied ${figure(text.length)} characters`),
      () => tell("The browser does not allow this page to copy.", { tone: "denied" }),
    );
  };
  useHotkeys([{ keys: "y", does: "Copy the prompt as text", run: copy }]);
  const stable = tokens === 0 ? 0 : Math.floor((prefixTokens / tokens) * 100);
  return (
    <>
      <div className={style.head}>
        <dl className={style.figures}>
          <Row name="tokens">
            {figure(tokens)} in {prompt.sections.length} sections
          </Row>
          <Row name="stable">
            {figure(prefixTokens)} tokens, {stable} % <TokenBar part={prefixTokens} of={tokens} label="stable" />
          </Row>
          <Row name="hash">
            <Id id={prompt.hash} />
          </Row>
          <Row name="prefix hash">
            <Id id={prompt.prefixHash} />
          </Row>
          {past !== undefined && (
            <>
              <Row name="sent">
                <Time at={past.at} how="absolute" />, turn {past.turn} of{" "}
                <Id id={past.session} short href={sessionHref(past.session, past.event)} />
              </Row>
              <Row name="exact">
                {past.exact ? (
                  <>
                    <Badge tone="passed">byte for byte</Badge> as the model got it
                  </>
                ) : (
                  <>
                    <Badge tone="advised">not exact</Badge> secrets were redacted, or texts have expired
                  </>
                )}
              </Row>
              {past.contract !== undefined && (
                <Row name="contract">
                  <Link href={`/contract?version=${past.contract.version}`}>v{past.contract.version}</Link>{" "}
                  <Id id={past.contract.hash} short href={`/contract?hash=${encodeURIComponent(past.contract.hash)}`} />
                </Row>
              )}
            </>
          )}
          {prompt.faults.map(({ where, message }) => (
            <Row key={`${where} ${message}`} name="fault">
              <Badge tone="denied">
                <Text>{where}</Text>
              </Badge>{" "}
              <Text>{message}</Text>
            </Row>
          ))}
        </dl>
        <div className="row">
          <Button onClick={compare.run}>{compare.label}</Button>
          <Button disabled={text === undefined} onClick={copy}>
            Copy as text
          </Button>
        </div>
      </div>
      {beside}
      <Section
        title="Lines"
        actions={
          <SearchField
            label="Find in this prompt"
            hideLabel
            placeholder="Find in this prompt"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        }
      >
        <PromptLines prompt={prompt} wanted={search.trim()} />
      </Section>
      <LeftOut prompt={prompt} />
    </>
  );
}
