import { lazy, Suspense, useMemo, useRef, useState } from "react";
import { useHotkeys } from "../../app/hotkeys.tsx";
import { Section } from "../../app/page.tsx";
import type { Answer } from "../../data/client.ts";
import { useWrite } from "../../data/use-query.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorText, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import type { EditorHandle, Mark } from "./code-editor.tsx";
import { Marks } from "./marks.tsx";
import style from "./rules.module.css";

const CodeEditor = lazy(() => import("./code-editor.tsx"));

const NO_MARKS: readonly Mark[] = [];

/** Runs the test cases of a rule file on the real engine. */
export function Cases({
  rules,
  cases,
  onChange,
  sound,
}: {
  readonly rules: string;
  readonly cases: string;
  readonly onChange: (text: string) => void;
  readonly sound: boolean;
}) {
  const test = useWrite("POST /api/rules/test");
  const editor = useRef<EditorHandle>(null);
  const [ran, setRan] = useState<
    { readonly of: string; readonly answer: Answer<"POST /api/rules/test"> } | undefined
  >();
  const of = `${rules}\0${cases}`;
  const canRun = sound && cases.trim() !== "";
  // The run key may be pressed before the latest text is rendered.
  const typed = useRef(cases);
  const run = async () => {
    const now = typed.current;
    const outcome = await test.run({ body: { text: rules, cases: now } });
    if (outcome.ok) setRan({ of: `${rules}\0${now}`, answer: outcome.value });
  };
  useHotkeys([{ keys: "mod+Enter", does: "Run cases", run: () => void (canRun && run()) }]);
  const failures = ran?.answer.failures ?? [];
  const marks = useMemo(() => (ran === undefined ? NO_MARKS : marksOf(ran.answer)), [ran]);
  return (
    <Section
      title="Cases"
      actions={
        <Button onClick={() => void run()} disabled={!canRun} busy={test.pending}>
          Run cases
        </Button>
      }
    >
      <Suspense fallback={<Skeleton lines={8} />}>
        <CodeEditor
          label="Cases"
          text={cases}
          onChange={(text) => {
            typed.current = text;
            onChange(text);
          }}
          marks={marks}
          handle={editor}
          hint="Cases: calls and their expected decisions"
        />
      </Suspense>
      <div role="status" className="stack">
        {test.error !== undefined && <ErrorText error={test.error} />}
        {ran !== undefined && (
          <>
            {ran.answer.caseFaults.length === 0 && ran.answer.faults.length === 0 && (
              <p className="row">
                <Badge tone="passed">{ran.answer.passed} passed</Badge>
                <Badge tone={failures.length === 0 ? "neutral" : "denied"}>{failures.length} failed</Badge>
                {ran.of !== of && <span className="quiet">the text has changed since</span>}
              </p>
            )}
            <Marks
              label="Faults in the cases"
              marks={marks.filter(({ level }) => level === "error")}
              onGo={(line, column) => editor.current?.goTo(line, column)}
            />
            <ul aria-label="Failed cases" className={style.failures}>
              {failures.map((one) => (
                <li key={one.case}>
                  <p>
                    <span aria-hidden="true">✗ </span>
                    <Button look="link" onClick={() => editor.current?.goTo(one.line)}>
                      line {one.line}
                    </Button>{" "}
                    <Text>{one.case}</Text> <span className="quiet">call {one.call}</span>
                  </p>
                  <p>
                    expected <Text className="mono">{one.expected}</Text>, got <Text className="mono">{one.got}</Text>
                  </p>
                  {one.because.map((because) => (
                    <p key={because} className="quiet">
                      <Text>{because}</Text>
                    </p>
                  ))}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Section>
  );
}

/** Marks failed cases at their first line. */
function marksOf({ caseFaults, failures }: Answer<"POST /api/rules/test">): readonly Mark[] {
  const failed = failures;
  return [
    ...caseFaults.map((one) => ({ ...one, level: "error" as const })),
    ...failed.map(({ line, expected, got }) => ({
      line,
      column: 1,
      message: `expected ${expected}, got ${got}`,
      level: "warning" as const,
    })),
  ];
}
