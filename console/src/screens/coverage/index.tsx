import { useMemo } from "react";
import { Link, useLocation, useSearch } from "wouter";
import type { CoverageColumn } from "../../../../src/base/words/hosting/capability.ts";
import { useHotkeys } from "../../app/hotkeys.tsx";
import { Page, Section } from "../../app/page.tsx";
import { useQuery } from "../../data/use-query.ts";
import { Badge } from "../../ui/badge.tsx";
import { Chip } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { SearchField, Select } from "../../ui/field.tsx";
import { EmptyState, QueryView, Skeleton } from "../../ui/states.tsx";
import { plainText, Text } from "../../ui/text.tsx";
import { meaningOf, rowsOf, type Shown, shownOf } from "./cells.ts";
import style from "./coverage.module.css";

const WORDS = { proven: "proven", impossible: "not enforced", failed: "failed", untold: "not tested" } as const;
const TONES = { proven: "passed", impossible: "denied", failed: "denied", untold: "denied" } as const;
const MARKS = { proven: "✓", impossible: "✗", failed: "‼", untold: "–" } as const;

/** Up to this number of cells, the scenarios that prove them are listed. */
const FEW = 6;

/** Shows what each runtime enforces, as proven by the conformance kit on the real runtime. */
export default function CoverageScreen() {
  const query = useQuery("GET /api/coverage");
  return (
    <Page
      title="Coverage"
      lead="Capabilities that each runtime enforces. Every cell is the result of a test with the real runtime."
    >
      <QueryView query={query} skeleton={<Skeleton lines={24} height={32} />}>
        {(data) => <CoverageMap columns={data.columns ?? []} />}
      </QueryView>
    </Page>
  );
}

function CoverageMap({ columns: all }: { readonly columns: readonly CoverageColumn[] }) {
  const [filter, change] = useFilter();
  useHotkeys([
    {
      keys: "e",
      does: "Switch between “not enforced” and everything",
      run: () => change({ open: filter.open === "" ? "not" : "" }),
    },
  ]);
  const columns = useMemo(
    () => all.filter(({ runtime, driver }) => filter.runtime === "" || [runtime, driver].includes(filter.runtime)),
    [all, filter.runtime],
  );
  const rows = useMemo(() => {
    const words = filter.capability.toLowerCase().split(/\s+/);
    return rowsOf(all)
      .filter((name) => words.every((word) => `${name} ${meaningOf(name)}`.toLowerCase().includes(word)))
      .map((name) => ({ name, cells: columns.map((column) => shownOf(column, name)) }))
      .filter(({ cells }) => filter.open === "" || cells.some(({ kind }) => kind !== "proven"));
  }, [all, columns, filter.capability, filter.open]);
  if (all.length === 0)
    return (
      <EmptyState title="No runtime tested yet">
        <p>
          <code>npm run compat</code> tests each runtime with a scripted model. Run it in the checkout, and the results
          appear here.
        </p>
      </EmptyState>
    );
  const cells = rows.flatMap((row) => row.cells);
  const gaps = cells.filter(({ kind }) => kind !== "proven");
  const runtimes = [...new Set(all.map(({ runtime }) => runtime))];
  return (
    <>
      <div className={style.tools}>
        <Select label="Runtime" value={filter.runtime} onChange={(event) => change({ runtime: event.target.value })}>
          <option value="">All runtimes</option>
          {runtimes.map((name) => (
            <option key={name}>{name}</option>
          ))}
          {!["", ...runtimes].includes(filter.runtime) && <option>{filter.runtime}</option>}
        </Select>
        <SearchField
          label="Capability"
          placeholder="Search"
          value={filter.capability}
          onChange={(event) => change({ capability: event.target.value })}
        />
        <Chip on={filter.open !== ""} onClick={() => change({ open: filter.open === "" ? "not" : "" })}>
          Not enforced only
        </Chip>
      </div>
      <p role="status" className="row">
        <Badge tone="passed">{cells.length - gaps.length} proven</Badge>
        <Badge tone={gaps.length === 0 ? "neutral" : "denied"}>{gaps.length} not enforced</Badge>
        <span className="quiet">
          in {columns.length} {columns.length === 1 ? "way" : "ways"} of running {runtimesIn(columns)}
        </span>
      </p>
      {rows.length === 0 ? (
        <p className="quiet">Nothing matches.</p>
      ) : (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
          <section className={style.scroll} tabIndex={0} aria-label="Coverage map">
            <table className={style.map} aria-label="Runtime by capability">
              <thead>
                <tr>
                  <th scope="col">Capability</th>
                  {columns.map(({ driver, package: from, version, run }) => (
                    <th key={driver} scope="col">
                      <Text>{driver}</Text>
                      <span className={style.version} title={from}>
                        <Text>{version}</Text>
                        <br />
                        <Text>{run}</Text>
                      </span>
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map(({ name, cells: own }) => (
                  <tr key={name}>
                    <th scope="row">
                      <Text>{name}</Text>
                      <span className={style.meaning}>{meaningOf(name)}</span>
                    </th>
                    {own.map((cell) => (
                      <td key={cell.driver} className={style[cell.kind]}>
                        <Link href={hrefOf(cell)} title={plainText(titleOf(cell))} aria-label={plainText(nameOf(cell))}>
                          {MARKS[cell.kind]}
                          {cell.kind !== "proven" && <span className={style.word}>{WORDS[cell.kind]}</span>}
                        </Link>
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
          {gaps.length > 0 && (
            <Section title={`Not enforced (${gaps.length})`}>
              <ul className={style.gaps} aria-label="What is not enforced">
                {gaps.map((cell) => (
                  <Gap key={`${cell.driver} ${cell.capability}`} cell={cell} />
                ))}
              </ul>
            </Section>
          )}
          {cells.length <= FEW &&
            cells
              .filter(({ kind }) => kind === "proven")
              .map((cell) => <Proof key={`${cell.driver} ${cell.capability}`} cell={cell} />)}
          <Section title="Test runs">
            <ul className={style.runs}>
              {columns.map(({ driver, package: from, version, run }) => (
                <li key={driver}>
                  <Text>{driver}</Text>{" "}
                  <span className="quiet">
                    <Text>{`${from} ${version}`}</Text>, run on <Text>{run}</Text>
                  </span>
                </li>
              ))}
            </ul>
          </Section>
        </>
      )}
    </>
  );
}

function Gap({ cell }: { readonly cell: Shown }) {
  const { driver, capability, meaning, reason, kind, scenarios } = cell;
  return (
    <li className={style.gap}>
      <span className="row">
        <Badge tone={TONES[kind]}>{WORDS[kind]}</Badge>
        <Link href={hrefOf(cell)}>
          <Text className="mono">{capability}</Text>
        </Link>
        <span>
          in <Text>{driver}</Text>
        </span>
      </span>
      <span className={style.reason}>
        <Text>{reason}</Text>
        {scenarios.length > 0 && <Text>{`: ${scenarios.join(", ")}`}</Text>}
      </span>
      <span className="quiet small">{meaning}</span>
    </li>
  );
}

function Proof({ cell: { driver, capability, scenarios } }: { readonly cell: Shown }) {
  return (
    <Section
      title={
        <Text>{`${capability} in ${driver}, proven by ${scenarios.length} ${scenarios.length === 1 ? "scenario" : "scenarios"}`}</Text>
      }
    >
      <ul aria-label={`Scenarios of ${capability} in ${driver}`} className={classes("mono", style.runs)}>
        {scenarios.map((name) => (
          <li key={name}>
            <Text>{name}</Text>
          </li>
        ))}
      </ul>
    </Section>
  );
}

type Filter = { readonly runtime: string; readonly capability: string; readonly open: string };

/** The filter is stored in the address. */
function useFilter(): readonly [Filter, (change: Partial<Filter>) => void] {
  const asked = new URLSearchParams(useSearch());
  const [, go] = useLocation();
  const filter = {
    runtime: asked.get("runtime") ?? "",
    capability: asked.get("capability") ?? "",
    open: asked.get("open") ?? "",
  };
  return [filter, (change) => go(addressOf({ ...filter, ...change }), { replace: true })];
}

function addressOf(filter: Partial<Filter>): string {
  const said = Object.entries(filter).filter(([, value]) => value !== "");
  const search = new URLSearchParams(said).toString();
  return `/coverage${search === "" ? "" : `?${search}`}`;
}

const hrefOf = ({ driver, capability }: Shown) => addressOf({ runtime: driver, capability });

const nameOf = ({ kind, driver, capability }: Shown) => `${WORDS[kind]}: ${capability} in ${driver}`;

function titleOf({ kind, reason, driver, capability, scenarios }: Shown): string {
  return kind === "proven"
    ? `${capability} in ${driver}: proven by ${scenarios.join(", ")}`
    : `${capability} in ${driver}: ${reason}`;
}

function runtimesIn(columns: readonly CoverageColumn[]): string {
  const count = new Set(columns.map(({ runtime }) => runtime)).size;
  return `${count} ${count === 1 ? "runtime" : "runtimes"}`;
}
