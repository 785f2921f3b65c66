import { useMemo } from "react";
import { Link } from "wouter";
import { diffLines } from "../../../../src/apps/shared/diff-lines.ts";
import { Section } from "../../app/page.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Diff, type DiffLine } from "../../ui/data/diff.tsx";
import { figure } from "../../ui/data/token-bar.tsx";
import { EmptyState, QueryView, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import style from "./prompt.module.css";
import { sourceOf, sourceTitle } from "./prompt-source.ts";
import type { ShownPrompt } from "./shown-prompt.ts";
import { usePrompt } from "./use-prompt.ts";

/** Shows the differences from the prompt chosen for comparison. */
export function Compare({ base, prompt }: { readonly base: string; readonly prompt: ShownPrompt }) {
  const source = useMemo(() => sourceOf(new URLSearchParams(base)), [base]);
  const query = usePrompt(source);
  return (
    <Section title="Changes" actions={<Link href={`/prompt?${base}`}>the other one</Link>}>
      <p className="quiet">
        compared with <Text>{sourceTitle(source)}</Text>
      </p>
      {query === undefined ? (
        <EmptyState title="Nothing to compare with" />
      ) : (
        <QueryView query={query} skeleton={<Skeleton lines={6} />}>
          {(before) => <Changes before={before} after={prompt} />}
        </QueryView>
      )}
    </Section>
  );
}

function Changes({ before, after }: { readonly before: ShownPrompt; readonly after: ShownPrompt }) {
  const lines = useMemo(
    () =>
      before.text === undefined || after.text === undefined ? undefined : foldSame(diffLines(before.text, after.text)),
    [before.text, after.text],
  );
  const sections = useMemo(() => changedSections(before, after), [before, after]);
  return (
    <div className="stack">
      <p className="row">
        {before.hash === after.hash ? (
          <Badge tone="passed">identical</Badge>
        ) : before.prefixHash === after.prefixHash ? (
          <Badge tone="passed">the cacheable part is unchanged</Badge>
        ) : (
          <Badge tone="advised">the cacheable part has changed, so the cache must be filled again</Badge>
        )}
        <span>
          {figure(before.tokens)} → {figure(after.tokens)} tokens
        </span>
      </p>
      {sections.length > 0 && (
        <ul className={style.changed} aria-label="Changed sections">
          {sections.map(({ contributor, from, to }) => (
            <li key={contributor}>
              <Text className="mono">{contributor}</Text>{" "}
              <span className="quiet">
                {from === undefined ? "new" : figure(from)} → {to === undefined ? "gone" : figure(to)} tokens
              </span>
            </li>
          ))}
        </ul>
      )}
      {lines === undefined ? (
        <p className="quiet">The texts of one prompt have expired. Only the sections can be compared.</p>
      ) : (
        before.hash !== after.hash && <Diff lines={lines} label="Changed lines" />
      )}
    </div>
  );
}

function changedSections(before: ShownPrompt, after: ShownPrompt) {
  const [from, to] = [before, after].map(
    ({ sections }) => new Map(sections.map((section) => [section.contributor, section])),
  );
  return [...new Set([...(from?.keys() ?? []), ...(to?.keys() ?? [])])].flatMap((contributor) => {
    const [old, now] = [from?.get(contributor), to?.get(contributor)];
    return old?.hash === now?.hash ? [] : [{ contributor, from: old?.tokens, to: now?.tokens }];
  });
}

/** Replaces runs of unchanged lines with one line that counts them. Keeps some context around each change. */
export function foldSame(lines: readonly DiffLine[], around = 3): readonly DiffLine[] {
  const isNear = lines.map(() => false);
  for (const [at, { kind }] of lines.entries()) {
    if (kind === "same") continue;
    for (let near = Math.max(0, at - around); near <= Math.min(lines.length - 1, at + around); near += 1)
      isNear[near] = true;
  }
  const folded: DiffLine[] = [];
  let hidden = 0;
  const close = () => {
    if (hidden > 0) folded.push({ kind: "same", text: `… ${hidden} ${hidden === 1 ? "line" : "lines"} unchanged` });
    hidden = 0;
  };
  for (const [at, line] of lines.entries()) {
    if (isNear[at] === true) {
      close();
      folded.push(line);
    } else hidden += 1;
  }
  close();
  return folded;
}
