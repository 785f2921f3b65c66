import { Button } from "../button.tsx";
import { csvOf } from "./csv.ts";

/** Saves the rows on the screen as CSV or JSON. */
export function Export({ name, rows }: { readonly name: string; readonly rows: readonly object[] }) {
  const save = (type: "csv" | "json") => {
    const text = type === "csv" ? csvOf(rows) : `${JSON.stringify(rows, undefined, 2)}\n`;
    const url = URL.createObjectURL(new Blob([text], { type: type === "csv" ? "text/csv" : "application/json" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = `conduct-${name}.${type}`;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <>
      <Button disabled={rows.length === 0} onClick={() => save("csv")}>
        Export CSV
      </Button>
      <Button disabled={rows.length === 0} onClick={() => save("json")}>
        Export JSON
      </Button>
    </>
  );
}
