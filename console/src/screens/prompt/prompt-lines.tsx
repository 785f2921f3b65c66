import { memo } from "react";
import { classes } from "../../ui/classes.ts";
import { Text } from "../../ui/text.tsx";
import { figure, TokenBar } from "../../ui/token-bar.tsx";
import style from "./prompt.module.css";
import type { ShownPrompt, ShownSection } from "./shown-prompt.ts";

/** Every line, its contributor in the margin; a line across where a provider's cache ends. */
export const PromptLines = memo(function PromptLines({
  prompt,
  wanted,
}: {
  readonly prompt: ShownPrompt;
  /** Only lines that have this, or contributors that are called so. */
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

/** The lines of a section that are wanted, counted from 0; undefined where none is. */
function linesOf(
  { contributor, text }: ShownSection,
  wanted: string,
): readonly { readonly number: number; readonly text: string }[] | undefined {
  const lines = (text ?? "").split("\n").map((one, number) => ({ number, text: one }));
  if (wanted === "" || contributor.toLowerCase().includes(wanted)) return lines;
  const found = lines.filter((line) => line.text.toLowerCase().includes(wanted));
  return found.length === 0 ? undefined : found;
}
