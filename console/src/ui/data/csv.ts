/** Writes rows as CSV (RFC 4180). Columns are the properties of all rows; objects are written as JSON. */
export function csvOf(rows: readonly object[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => columns.map((name) => cell((row as Record<string, unknown>)[name])).join(","));
  return `${[columns.map(cell).join(","), ...lines].join("\r\n")}\r\n`;
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return "";
  const text =
    typeof value === "string" ? inert(value) : typeof value === "object" ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A spreadsheet runs a cell that starts like a formula. The apostrophe makes it text. */
function inert(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}
