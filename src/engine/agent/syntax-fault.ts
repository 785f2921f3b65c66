const HINTS: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: "indent with spaces",
  BLOCK_AS_IMPLICIT_KEY: "put a value that contains ': ' in quotes",
  BAD_SCALAR_START: "put the value in quotes",
  MULTIPLE_DOCS: "keep one document: remove the '---' line",
  TAG_RESOLVE_FAILED: "remove the tag, or put the value in quotes",
};

/** What the YAML parser found, in words for people. */
export function syntaxFault(
  code: string,
  message: string,
  text: string,
  offset: number,
): { readonly message: string; readonly hint?: string } {
  if (code === "DUPLICATE_KEY") {
    const key = /^[^\s:,}\]]+/.exec(text.slice(offset, offset + 200))?.[0] ?? "this key";
    return { message: `'${key}' is there twice`, hint: "keep one of them; YAML would take only the last" };
  }
  const hint = HINTS[code];
  const said = code === "MULTIPLE_DOCS" ? "the file contains several documents" : lowerFirst(message);
  return { message: `this is not valid YAML: ${said}`, hint };
}

function lowerFirst(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}
