import { type ReactNode, useDeferredValue, useMemo, useState } from "react";
import { classes } from "../classes.ts";
import { SearchField } from "../field.tsx";
import style from "./data-table.module.css";

export type Column<T> = {
  readonly name: string;
  readonly show: (row: T) => ReactNode;
  /** Right-aligns the column. */
  readonly isNumber?: boolean;
  /** Hidden on phones. */
  readonly wideOnly?: boolean;
};

/** A table that is searched by `textOf`. On phones, each row is a small block. */
export function DataTable<T>({
  label,
  rows,
  columns,
  keyOf,
  textOf,
  tools,
  empty,
}: {
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
  /** Text to search; without it there is no search. */
  readonly textOf?: (row: T) => string;
  /** Filters and other controls next to the search. */
  readonly tools?: ReactNode;
  /** Shown when there are no rows at all. */
  readonly empty: ReactNode;
}) {
  const [search, setSearch] = useState("");
  const wanted = useDeferredValue(search.trim().toLowerCase());
  const found = useMemo(
    () =>
      wanted === "" || textOf === undefined
        ? rows
        : rows.filter((row) => wanted.split(/\s+/).every((word) => textOf(row).toLowerCase().includes(word))),
    [rows, wanted, textOf],
  );
  return (
    <div className={style.frame}>
      {(textOf !== undefined || tools !== undefined) && (
        <div className={style.tools}>
          {textOf !== undefined && (
            <SearchField
              label={`Search ${label.toLowerCase()}`}
              hideLabel
              placeholder="Search"
              value={search}
              onChange={(event) => setSearch(event.target.value)}
            />
          )}
          {tools}
        </div>
      )}
      {rows.length === 0 ? (
        empty
      ) : found.length === 0 ? (
        <p className="quiet" role="status">
          Nothing matches “{search}”.
        </p>
      ) : (
        <table className={style.table} aria-label={label}>
          <thead>
            <tr>
              {columns.map(({ name, isNumber, wideOnly }) => (
                <th
                  key={name}
                  scope="col"
                  className={classes(isNumber === true && style.number, wideOnly === true && style.wide)}
                >
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {found.map((row) => (
              <tr key={keyOf(row)}>
                {columns.map(({ name, show, isNumber, wideOnly }) => (
                  <td
                    key={name}
                    data-label={name}
                    className={classes(isNumber === true && style.number, wideOnly === true && style.wide)}
                  >
                    {show(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
