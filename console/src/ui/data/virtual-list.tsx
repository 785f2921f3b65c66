import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type Ref, useImperativeHandle, useRef } from "react";
import { classes } from "../classes.ts";
import style from "./virtual-list.module.css";

/** Scrolls a list from outside. `align`: the position of the row. */
export type ListControl = {
  readonly goTo: (at: number, align?: "start" | "center" | "end") => void;
  readonly goToEnd: () => void;
};

/**
 * A long list that renders only visible rows, with a scroll area of its own. `rowHeight` is an estimate; rows may
 * differ.
 */
export function VirtualList<T>({
  items,
  keyOf,
  rowHeight,
  label,
  className,
  control,
  follow = false,
  children,
}: {
  readonly items: readonly T[];
  readonly keyOf: (item: T, at: number) => string;
  readonly rowHeight: number;
  readonly label: string;
  readonly className?: string;
  readonly control?: Ref<ListControl>;
  /**
   * At the end, the list scrolls with new rows. Otherwise the visible rows stay in place, even if rows are added
   * before them.
   */
  readonly follow?: boolean;
  readonly children: (item: T, at: number) => ReactNode;
}) {
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    getItemKey: (at) => {
      const item = items[at];
      return item === undefined ? at : keyOf(item, at);
    },
    overscan: 12,
    ...(follow ? { anchorTo: "end", followOnAppend: true, scrollEndThreshold: 48 } : {}),
  });
  useImperativeHandle(
    control,
    () => ({
      goTo: (at, align = "center") => rows.scrollToIndex(at, { align }),
      goToEnd: () => rows.scrollToEnd(),
    }),
    [rows],
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section ref={box} className={classes(style.box, className)} tabIndex={0} aria-label={label}>
      <ul className={style.list} style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ key, index, start }) => {
          const item = items[index];
          if (item === undefined) return null;
          return (
            <li
              key={key}
              data-index={index}
              ref={rows.measureElement}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              className={style.row}
              style={{ transform: `translateY(${start}px)` }}
            >
              {children(item, index)}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
