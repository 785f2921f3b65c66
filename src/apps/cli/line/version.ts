export function version(): string {
  const { readFileSync } = process.getBuiltinModule("node:fs");
  const text = readFileSync(new URL("../../../../package.json", import.meta.url), "utf8");
  const stated: unknown = JSON.parse(text);
  return typeof stated === "object" && stated !== null && "version" in stated ? String(stated.version) : "unknown";
}
