import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import style from "./turns-pane.module.css";

/** Shows the turns. Scrolls with new content only if the reader is at the end. */
export function TurnsPane({
  children,
  follow,
  growing,
  first,
}: {
  readonly children: ReactNode;
  /** Changes when there is something new. */
  readonly follow: string;
  /** Changes whenever the height may have changed. */
  readonly growing: unknown;
  /** The oldest turn shown. When older ones are added before it, the scroll position stays. */
  readonly first: string | undefined;
}) {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const [behind, setBehind] = useState(false);
  const before = useRef({ first, height: 0 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever it may have grown
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const { first: oldest, height } = before.current;
    if (atEnd.current) element.scrollTop = element.scrollHeight;
    else if (oldest !== undefined && oldest !== first) element.scrollTop += element.scrollHeight - height;
    before.current = { first, height: element.scrollHeight };
  }, [growing, first]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is really new is worth a sign
  useEffect(() => setBehind(!atEnd.current), [follow]);
  return (
    <div className={style.scroll}>
      <div
        ref={box}
        className={style.turns}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="Turns"
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          atEnd.current = scrollHeight - scrollTop - clientHeight < 48;
          if (atEnd.current) setBehind(false);
        }}
      >
        {children}
      </div>
      {behind && (
        <Button
          className={style.newest}
          onClick={() => {
            atEnd.current = true;
            setBehind(false);
            if (box.current !== null) box.current.scrollTop = box.current.scrollHeight;
          }}
        >
          Newest <Icon of="down" />
        </Button>
      )}
    </div>
  );
}
