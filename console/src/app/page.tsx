import { createContext, type ReactNode, useContext, useEffect, useId } from "react";
import { createPortal } from "react-dom";
import { Link } from "wouter";
import { classes } from "../ui/classes.ts";
import { Id } from "../ui/id.tsx";
import { plainText, Text } from "../ui/text.tsx";
import style from "./page.module.css";

/** Element in which the shell shows the screen's title. */
export const TitleSlot = createContext<HTMLElement | null>(null);

/** Layout of a screen: title, actions and content. `fill`: uses the full height and scrolls inside. */
export function Page({
  title,
  within,
  lead,
  actions,
  command,
  fill = false,
  flush = false,
  children,
}: {
  readonly title: string;
  /** Parent screen, shown as `Sessions ›`. */
  readonly within?: { readonly name: string; readonly href: string };
  /** One sentence that describes the screen. */
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  /** Words of the command that shows the same in a terminal. */
  readonly command?: readonly string[];
  readonly fill?: boolean;
  /** Removes the padding, for screens whose panes have their own. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}) {
  useTitle(title);
  const slot = useContext(TitleSlot);
  const name = (
    <>
      {within !== undefined && (
        <span className={style.within}>
          <Link href={within.href}>{within.name}</Link> <span aria-hidden="true">›</span>{" "}
        </span>
      )}
      <h1 className={style.title}>
        <Text>{title}</Text>
      </h1>
    </>
  );
  return (
    <div className={classes(style.page, fill && style.fill, flush && style.flush)}>
      {slot === null ? <div className="row">{name}</div> : createPortal(name, slot)}
      {(lead !== undefined || actions !== undefined) && (
        <header className={style.head}>
          <p className={classes("grow", style.lead)}>{lead}</p>
          {command !== undefined && <CliCommand words={command} />}
          {actions !== undefined && <div className="row">{actions}</div>}
        </header>
      )}
      {children}
    </div>
  );
}

/** The command that shows the same in a terminal, to copy. Hidden on a phone. */
export function CliCommand({ words }: { readonly words: readonly string[] }) {
  const line = words.map((word) => (/^[\w.:/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
  return (
    <span className={style.command} title="Shows the same in a terminal">
      <Id id={`conduct ${line}`} />
    </span>
  );
}

export function Section({
  title,
  actions,
  children,
}: {
  readonly title: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={style.section} aria-labelledby={id}>
      <div className={style.sectionHead}>
        <h2 id={id}>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

/** Sets the title of the browser's tab. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = plainText(`${title} · Conduct`);
  }, [title]);
}
