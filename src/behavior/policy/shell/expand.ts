import { broken, decodeAnsi, deeper, inside, type Reader, type Token, WordBuilder } from "./word.ts";

/** `$x`, `${x}`, `$(x)`, `$((x))` and backticks, added to the word; `false` when none begins here. */
export function readExpansion(reader: Reader, word: WordBuilder): boolean {
  const { text, at } = reader;
  const next = text[at + 1] ?? "";
  if (text[at] === "`") readBackticks(reader, word);
  else if (text[at] !== "$") return false;
  else if (next === "(" && text[at + 2] === "(" && closesAsArithmetic(reader, at + 3)) {
    readArithmetic(reader, word, at + 3);
  } else if (next === "(") readSubstitution(reader, word, at + 2);
  else if (next === "{") readParameter(reader, word);
  else if (/[\w@*#?$!-]/.test(next)) readVariable(reader, word);
  else return false;
  return true;
}

/** `'…'`, `"…"` or `$'…'`; `false` when no quotes begin here. */
export function readQuotes(reader: Reader, word: () => WordBuilder): boolean {
  const { text, at } = reader;
  if (text[at] === "'") readSingle(reader, word());
  else if (text[at] === '"') readDouble(reader, word());
  else if (text[at] === "$" && text[at + 1] === "'" && reader.dialect === "bash") readAnsi(reader, word());
  else return false;
  return true;
}

/** The command lists that a text, otherwise data, has in it: a here-document, an arithmetic expression. */
export function listsIn(reader: Reader): readonly (readonly Token[])[] {
  const word = new WordBuilder();
  while (reader.at < reader.text.length) {
    if (reader.text[reader.at] === "\\") reader.at += 2;
    else if (!readExpansion(reader, word)) reader.at += 1;
  }
  return word.lists;
}

/** From behind `$(`, `<(` or `>(`. A process substitution is a descriptor to whoever gets it. */
export function readSubstitution(reader: Reader, word: WordBuilder, from: number, descriptor = false): void {
  reader.at = from;
  word.lists.push(deeper(reader, () => reader.list(reader, ")")) ?? []);
  if (descriptor) word.addDescriptor();
  else word.addUnknown("$()");
}

/** Do the brackets that opened before `from` close together? If they never close, the text is broken. */
export function closesAsArithmetic(reader: Reader, from: number): boolean {
  const { text } = reader;
  let open = 2;
  for (let end = from; end < text.length; end++) {
    if (text[end] === "(") open += 1;
    if (text[end] === ")" && --open === 1) {
      if (!reader.budget.spend(end - from)) broken(reader);
      return text[end + 1] === ")";
    }
  }
  broken(reader);
  return true;
}

/** From behind `((`: nothing in it is a redirection, but substitutions run. */
export function readArithmetic(reader: Reader, word: WordBuilder, from: number): void {
  if (!reader.parsed && reader.at >= reader.text.length) return;
  let open = 2;
  let end = from;
  for (; open > 1; end++) {
    if (reader.text[end] === "(") open += 1;
    else if (reader.text[end] === ")") open -= 1;
  }
  const expression = reader.text.slice(from, end - 1);
  // A bracket in quotes would have been counted.
  if (/['"\\]/.test(expression)) reader.parsed = false;
  word.lists.push(...(inside(reader, expression, listsIn) ?? []));
  word.addUnknown("$()");
  if (reader.at < reader.text.length) reader.at = end + 1;
}

function readSingle(reader: Reader, word: WordBuilder): void {
  const end = reader.text.indexOf("'", reader.at + 1);
  if (end < 0) {
    broken(reader);
    return;
  }
  word.add(reader.text.slice(reader.at + 1, end), true);
  reader.at = end + 1;
}

function readDouble(reader: Reader, word: WordBuilder): void {
  word.add("", true);
  reader.at += 1;
  while (reader.at < reader.text.length) {
    const char = reader.text[reader.at] ?? "";
    const next = reader.text[reader.at + 1] ?? "";
    if (char === '"') {
      reader.at += 1;
      return;
    }
    if (char === "\\" && next !== "" && '"\\$`\n'.includes(next)) {
      word.add(next === "\n" ? "" : next, true);
      reader.at += 2;
    } else if (!readExpansion(reader, word)) {
      word.add(char, true);
      reader.at += 1;
    }
  }
  broken(reader);
}

function readAnsi(reader: Reader, word: WordBuilder): void {
  const { text, at } = reader;
  let end = at + 2;
  while (end < text.length && text[end] !== "'") end += text[end] === "\\" ? 2 : 1;
  if (end >= text.length) {
    broken(reader);
    return;
  }
  const quoted = text.slice(at + 2, end);
  const decoded = decodeAnsi(quoted);
  // A plain shell would have ended the quotes at the `\'`.
  if (decoded === undefined || quoted.includes("\\'")) reader.parsed = false;
  word.add(decoded ?? "", true);
  reader.at = end + 1;
}

function readVariable(reader: Reader, word: WordBuilder): void {
  let end = reader.at + 2;
  if (/[A-Za-z_]/.test(reader.text[reader.at + 1] ?? "")) {
    while (/\w/.test(reader.text[end] ?? "")) end += 1;
  }
  const name = reader.text.slice(reader.at, end);
  reader.at = end;
  if (!isFolder(word, name.slice(1))) word.addUnknown(name);
}

function readParameter(reader: Reader, word: WordBuilder): void {
  const from = reader.at;
  const within = new WordBuilder();
  reader.at += 2;
  deeper(reader, () => {
    while (reader.at < reader.text.length && reader.text[reader.at] !== "}") {
      const char = reader.text[reader.at];
      // What quotes mean in here differs from shell to shell.
      if (char === "'" || char === '"') reader.parsed = false;
      if (char === "\\") reader.at += 2;
      else if (!readExpansion(reader, within)) reader.at += 1;
    }
  });
  if (reader.at >= reader.text.length) broken(reader);
  else reader.at += 1;
  word.lists.push(...within.lists);
  const text = reader.text.slice(from, reader.at);
  if (!isFolder(word, text.slice(2, -1))) word.addUnknown(text);
}

function isFolder(word: WordBuilder, name: string): boolean {
  if (name !== "HOME" && name !== "PWD") return false;
  return word.addFolder(name === "HOME" ? "~" : ".");
}

function readBackticks(reader: Reader, word: WordBuilder): void {
  const { text, at } = reader;
  let end = at + 1;
  while (end < text.length && text[end] !== "`") end += text[end] === "\\" ? 2 : 1;
  if (end >= text.length) {
    broken(reader);
    return;
  }
  const commands = text.slice(at + 1, end).replace(/\\([`\\$])/g, "$1");
  word.lists.push(inside(reader, commands, (inner) => inner.list(inner, "")) ?? []);
  word.addUnknown("$()");
  if (reader.at < text.length) reader.at = end + 1;
}
