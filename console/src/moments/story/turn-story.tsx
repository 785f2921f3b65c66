import { memo, useMemo, useState } from "react";
import { Link } from "wouter";
import { useQuery } from "../../data/use-query.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { figure, shortFigure } from "../../ui/data/token-bar.tsx";
import { durationText, moneyText } from "../../ui/data/units.ts";
import { CodeBlock, Markdown } from "../../ui/markdown/markdown.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { DecisionRows } from "../decision-rows.tsx";
import { type JournalEvent, lineOf } from "../line-of.ts";
import details from "../moment-details.module.css";
import { DecisionLinks, EventRow, MomentDetails, sessionHref } from "../moment-details.tsx";
import { handlesOf, OpenResult } from "../open-result.tsx";
import { Glyph } from "../strip.tsx";
import { type Child, type Spent, type Step, type StoryItem, storyOf } from "./story-of.ts";
import style from "./turn-story.module.css";

/** Items shown before "Show all". */
const SHOWN = 40;
const NO_CHILDREN: readonly Child[] = [];
const NO_STEPS: readonly Step[] = [];

/** A turn as a story: texts, calls with input and output, figures of each step, errors in place, subagents nested. */
export const TurnStory = memo(function TurnStory({
  events,
  steps = NO_STEPS,
  picked,
  without = "",
}: {
  readonly events: readonly JournalEvent[];
  readonly steps?: readonly Step[] | undefined;
  /** The expanded event. */
  readonly picked?: string | undefined;
  /** The answer, if it is shown elsewhere. */
  readonly without?: string;
}) {
  const session = events[0]?.session ?? "";
  const mayNest = events.some((event) => event.type === "call");
  const found = useQuery("GET /api/journal/sessions", { query: { parent: session, limit: 50 } }, { when: mayNest });
  const children = found.state === "ready" ? found.data.sessions : NO_CHILDREN;
  const items = useMemo(() => {
    const all = storyOf(events, steps, children);
    const last = all.findLast((item) => item.kind === "text");
    return all.map((item) =>
      item === last && item.kind === "text" && item.text.trim() === without.trim()
        ? { ...item, text: "", isAnswer: true as const }
        : item,
    );
  }, [events, steps, children, without]);
  const [isAll, setAll] = useState(false);
  if (items.length === 0) return null;
  const hasPicked = picked !== undefined && items.slice(SHOWN).some(({ key }) => key === picked);
  const shown = isAll || hasPicked ? items : items.slice(0, SHOWN);
  return (
    <div className={style.story}>
      <ol className={style.items} aria-label="Steps of this turn">
        {shown.map((item) => (
          <li key={item.key}>
            <Item item={item} isOpen={item.key === picked} />
          </li>
        ))}
      </ol>
      {shown.length < items.length && (
        <Button look="link" onClick={() => setAll(true)}>
          Show all {figure(items.length)} steps
        </Button>
      )}
    </div>
  );
});

function Item({ item, isOpen }: { readonly item: StoryItem; readonly isOpen: boolean }) {
  switch (item.kind) {
    case "text":
      return (
        <div className={style.text}>
          {item.text.trim() !== "" && <Markdown>{item.text}</Markdown>}
          <Figures spent={item.spent} isAnswer={item.isAnswer === true} />
        </div>
      );
    case "call":
      return <Call item={item} isOpen={isOpen} />;
    case "event":
      return <Told event={item.event} isOpen={isOpen} />;
  }
}

function Figures({ spent: { tokens, cost, ms }, isAnswer }: { readonly spent: Spent; readonly isAnswer: boolean }) {
  const parts = [
    ms === undefined ? "" : durationText(ms),
    tokens === undefined || tokens === 0 ? "" : `${shortFigure(tokens)} tokens`,
    cost === undefined || cost === 0 ? "" : moneyText(cost),
  ].filter((text) => text !== "");
  if (parts.length === 0) return null;
  return (
    <p className={style.figures} title="Duration, tokens and cost of this model response">
      {isAnswer && "answer: "}
      {parts.join(" · ")}
    </p>
  );
}

function Call({ item, isOpen }: { readonly item: Extract<StoryItem, { kind: "call" }>; readonly isOpen: boolean }) {
  const { event, result, output, cut, children } = item;
  const { what, word, tone } = lineOf(event);
  const decision = event.decision;
  const outcome = result === undefined ? undefined : lineOf(result);
  const isPlain = decision.kind === "allow" && tone === "passed";
  const [open, setOpen] = useState(isOpen);
  return (
    <>
      <details className={style.call} data-tone={tone} open={open} onToggle={(now) => setOpen(now.currentTarget.open)}>
        <summary>
          <Glyph event={event} /> <Text className={style.what}>{what}</Text>
          {!(isPlain && outcome !== undefined) && <Badge tone={tone}>{word}</Badge>}
          {outcome !== undefined && <Badge tone={outcome.tone}>{outcome.word}</Badge>}
          {result !== undefined && <span className={style.ms}>{durationText(result.at - event.at)}</span>}
        </summary>
        {open && (
          <div className={style.inside}>
            <p className={style.name}>Input</p>
            <CodeBlock text={inputOf(event.call.args)} />
            {output !== undefined && output !== "" && decision.kind !== "deny" && (
              <>
                <p className={style.name}>Output{cut && ", first part"}</p>
                <CodeBlock text={output} />
              </>
            )}
            {result !== undefined &&
              handlesOf(result)
                .slice(0, 1)
                .map((handle) => <OpenResult key={handle} event={result} handle={handle} />)}
            <dl className={details.rows}>
              <DecisionRows decision={decision} />
              <EventRow event={event} />
            </dl>
            <DecisionLinks decision={decision} />
          </div>
        )}
      </details>
      {decision.kind === "deny" && (
        <p className={style.reason}>
          <Text className="said">{decision.reason}</Text> <Text className="quiet">{decision.next}</Text>
        </p>
      )}
      {children.map((child) => (
        <Nested key={child.session} child={child} />
      ))}
    </>
  );
}

/** A single text argument is shown as it is, others as JSON. */
function inputOf(args: { readonly [name: string]: unknown }): string {
  const values = Object.values(args);
  const [only] = values;
  return values.length === 1 && typeof only === "string" ? only : JSON.stringify(args, undefined, 2);
}

/** Refused stops, errors, answers of people and the like, where they happened. */
function Told({ event, isOpen }: { readonly event: JournalEvent; readonly isOpen: boolean }) {
  const { what, word, tone, more } = lineOf(event);
  const [open, setOpen] = useState(isOpen);
  return (
    <details className={style.call} data-tone={tone} open={open} onToggle={(now) => setOpen(now.currentTarget.open)}>
      <summary>
        <Glyph event={event} /> <Badge tone={tone}>{word}</Badge> <Text className={style.said}>{what}</Text>
        {more !== undefined && <Text className="quiet small">{more}</Text>}
      </summary>
      {open && (
        <div className={style.inside}>
          <MomentDetails event={event} />
        </div>
      )}
    </details>
  );
}

/** The story of a subagent, loaded when it is opened. */
function Nested({ child }: { readonly child: Child }) {
  const [open, setOpen] = useState(false);
  return (
    <details className={style.nested} open={open} onToggle={(now) => setOpen(now.currentTarget.open)}>
      <summary>
        Subagent <Text>{child.label ?? child.agent}</Text>{" "}
        <span className="quiet small">
          {figure(child.calls)} {child.calls === 1 ? "call" : "calls"}
          {child.tokens > 0 && ` · ${shortFigure(child.tokens)} tokens`}
        </span>{" "}
        {child.denials > 0 && <Badge tone="denied">denied {figure(child.denials)}</Badge>}
      </summary>
      {open && <NestedStory session={child.session} />}
    </details>
  );
}

function NestedStory({ session }: { readonly session: string }) {
  const query = useQuery("GET /api/events", { query: { session, limit: 300 } });
  if (query.state !== "ready") return <Skeleton lines={4} />;
  return (
    <div className={style.inside}>
      <Link href={sessionHref(session)}>Open session</Link>
      <TurnStory events={query.data.events.toReversed()} />
    </div>
  );
}
