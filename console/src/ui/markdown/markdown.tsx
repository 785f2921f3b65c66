import { type ReactNode, useMemo } from "react";
import { IconButton } from "../button.tsx";
import { Icon } from "../icons.tsx";
import { copyText } from "../id.tsx";
import { plainText, Text } from "../text.tsx";
import { useToast } from "../toast.tsx";
import style from "./markdown.module.css";
import type { Inline } from "./parse-inline.ts";
import { type Block, parseMarkdown } from "./parse-markdown.ts";

/** Renders Markdown that anybody may have written. Every text goes through `Text`; nothing becomes markup. */
export function Markdown({ children }: { readonly children: string }) {
  const blocks = useMemo(() => parseMarkdown(children), [children]);
  return <div className={style.markdown}>{blocks.map(block)}</div>;
}

function block(of: Block, at: number): ReactNode {
  switch (of.kind) {
    case "paragraph":
      return <p key={at}>{inlines(of.text)}</p>;
    case "heading":
      // The page has its own headings, so these are no part of its outline.
      return (
        <p key={at} className={style.heading} data-level={of.level}>
          {inlines(of.text)}
        </p>
      );
    case "code":
      return <CodeBlock key={at} text={of.text} language={of.language} />;
    case "quote":
      return (
        <blockquote key={at} className={style.quote}>
          {of.blocks.map(block)}
        </blockquote>
      );
    case "list": {
      const items = of.items.map((item, one) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the text is parsed as a whole
        <li key={one}>{item.map(block)}</li>
      ));
      return of.start === undefined ? (
        <ul key={at} className={style.list}>
          {items}
        </ul>
      ) : (
        <ol key={at} className={style.list} start={of.start}>
          {items}
        </ol>
      );
    }
    case "table":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        <section key={at} className={style.scroll} aria-label="Table" tabIndex={0}>
          <table className={style.table}>
            <thead>
              <tr>
                {of.head.map((cell, one) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: cells have no other name
                  <th key={one} style={{ textAlign: of.aligns[one] ?? "start" }}>
                    {inlines(cell)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {of.rows.map((row, line) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name
                <tr key={line}>
                  {row.map((cell, one) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: cells have no other name
                    <td key={one} style={{ textAlign: of.aligns[one] ?? "start" }}>
                      {inlines(cell)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      );
    case "rule":
      return <hr key={at} className={style.rule} />;
  }
}

function inlines(of: readonly Inline[]): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: the text is parsed as a whole
  return of.map((part, at) => <Part key={at} of={part} />);
}

function Part({ of }: { readonly of: Inline }) {
  switch (of.kind) {
    case "text":
      return <Text className="said">{of.text}</Text>;
    case "code":
      return (
        <code className={style.code}>
          <Text>{of.text}</Text>
        </code>
      );
    case "strong":
      return <strong>{inlines(of.parts)}</strong>;
    case "em":
      return <em>{inlines(of.parts)}</em>;
    case "del":
      return <del>{inlines(of.parts)}</del>;
    case "link":
      return <SafeLink href={of.href} parts={of.parts} />;
  }
}

/** Shows where a link leads, unless its text already does. */
function SafeLink({ href, parts }: { readonly href: string; readonly parts: readonly Inline[] }) {
  const { host, pathname } = new URL(href);
  const target = host === "" ? pathname : host;
  const says = textOf(parts).includes(target);
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={plainText(href)}>
      {inlines(parts)}
      {!says && <span className={style.host}> ({target})</span>}
    </a>
  );
}

function textOf(parts: readonly Inline[]): string {
  return parts.map((part) => ("text" in part ? part.text : textOf(part.parts))).join("");
}

/** Code that can be copied; long lines scroll. */
export function CodeBlock({ text, language = "" }: { readonly text: string; readonly language?: string }) {
  const tell = useToast();
  return (
    <figure className={style.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section tabIndex={0} aria-label={language === "" ? "Code" : plainText(`Code, ${language}`)}>
        <pre>
          <Text>{text}</Text>
        </pre>
      </section>
      <IconButton
        label="Copy code"
        className={style.copy}
        onClick={() =>
          copyText(text).then(
            () => tell("Copied"),
            () => tell("The browser does not allow this page to copy.", { tone: "denied" }),
          )
        }
      >
        <Icon of="copy" />
      </IconButton>
    </figure>
  );
}
