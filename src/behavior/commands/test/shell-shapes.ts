const TESTS = [
  "npm test",
  "npm test",
  "npm test",
  "npm test",
  "npm run test:ci",
  "command npm test",
  "(npm test)",
  "exec npm test",
];
const OTHERS = [
  "alpha",
  "beta",
  "true",
  "false",
  ":",
  "rm -f src/x",
  "echo $s",
  "(exit 1)",
  "(exit $s)",
  "source /dev/null",
];
const STATUS = [
  "s=$?",
  "exit",
  "exit $?",
  "exit $s",
  "exit 0",
  "exit 1",
  "s=0",
  "s=1",
  "s=",
  "s=$((s+1))",
  "npm test || s=1",
];
const MORE_STATUS = [
  "npm test || s=$?",
  "local s=$?",
  "export s=$?",
  "readonly s",
  "unset s",
  "read s < /dev/null",
  "((s++))",
];
const CHECKS = [
  "[ $s -eq 0 ]",
  "[ $? -eq 0 ]",
  '[ "$s" != 0 ]',
  '[ -z "$s" ]',
  "[[ $s -ne 0 ]]",
  "((s))",
  "((s=0))",
  "((s == 0))",
];
const MORE_CHECKS = [
  '[ "$s" = 0 ] || exit 1',
  "[[ $s -eq 0 ]] || exit $s",
  `exit \${PIPESTATUS[0]}`,
  "test $s -gt 0 && exit $s",
  `: \${s:=0}`,
];
const OPTIONS = [
  "set -e",
  "set +e",
  "set -o pipefail",
  "set +o pipefail",
  "set -u",
  "bash -c 'set -n; npm test'",
  "set $s",
  "set -eo pipefail",
  "set -- a",
];
const TRAPS = [
  "trap : EXIT",
  "trap 'exit 0' EXIT",
  "trap 's=$?; alpha; exit $s' EXIT",
  "trap - EXIT",
  "trap : ERR",
  "trap 'rm -f src/x' EXIT",
];
const JOBS = [
  "wait",
  "wait $!",
  "p=$!",
  'wait "$p"',
  "wait $p && wait $!",
  "npm test & p=$!; alpha; wait $p",
  "npm run test:ci & npm test && wait $!",
];
const CALLS = [
  "f",
  "g",
  "f && g",
  "return",
  "return 1",
  "return $s",
  "f || return 1",
  "break",
  "continue",
  "npm() { true; }",
  "alias npm=true",
];
const SHELLS = [
  "bash -c 'npm test'",
  "bash -ec 'npm test; true'",
  "bash -c -n 'npm test'",
  "bash -n <<< 'npm test'",
  "bash <<< 'npm test; true'",
];
const MORE_SHELLS = [
  "echo 'npm test' | bash",
  "bash -c 'npm test & alpha'",
  "command -p exit 0",
  "eval 'npm test'",
  "eval $s",
  "exec true",
];
const FILES = [
  "npm test > /none/x",
  "s=0 > /none/x",
  "exit 1 > /none/x",
  "{ npm test; } 2> /none/x",
  "npm test > log 2>&1",
  "> src/y",
];
const SUBSTITUTIONS = [
  "x=$(npm test)",
  'x="$(npm test; true)"',
  "x=$(false; npm test) || exit 1",
  "x=<(npm test)",
  "local x=$(npm test)",
  "echo $(npm test)",
];
const WORDS = [
  "case x in y) ;; esac",
  "for i in $(npm test); do :; done",
  "xargs npm test < /dev/null",
  "x=$(set -e; npm test; true)",
];
const RARE = [
  OTHERS,
  STATUS,
  MORE_STATUS,
  CHECKS,
  MORE_CHECKS,
  OPTIONS,
  TRAPS,
  JOBS,
  CALLS,
  SHELLS,
  MORE_SHELLS,
  FILES,
  SUBSTITUTIONS,
  WORDS,
];
const COMMON = [TESTS, TESTS, TESTS, TESTS, OTHERS, STATUS, STATUS, CHECKS, MORE_CHECKS];

/** Small shell scripts of every form, around `npm test`. Every loop in them ends. */
export class ShellShapes {
  #seed: number;
  #loops = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** `size`: how many simple commands it has, about. */
  script(size: number): string {
    const start = this.#one(["", "", "", "", "set -e; ", "s=0; ", "set -eo pipefail; "]);
    const end = this.#one([
      "",
      "",
      "",
      "",
      "",
      "; exit $s",
      "; s=$?; true; exit $s",
      "; exit",
      "; [ $s -eq 0 ]",
      " || exit 1",
    ]);
    return start + this.#list(size) + end;
  }

  #list(size: number): string {
    const first = size < 2 ? size : 1 + this.#below(size);
    const rest = size - first;
    return rest === 0 ? this.#statement(first) : `${this.#statement(first)}; ${this.#list(rest)}`;
  }

  #statement(size: number): string {
    const text = this.#chain(size);
    const form = this.#below(24);
    return form === 0 ? `{ ${text}; } & true` : form === 1 ? `${text} & wait $!` : text;
  }

  #chain(size: number): string {
    if (size < 2 || this.#below(2) === 0) return this.#pipe(size);
    const first = 1 + this.#below(size - 1);
    return this.#pipe(first) + this.#one([" && ", " || "]) + this.#chain(size - first);
  }

  #pipe(size: number): string {
    const before = this.#below(10) === 0 ? "! " : "";
    return before + this.#compound(size) + this.#one(["", "", "", "", "", "", "", "", " | cat", " | cat", " | false"]);
  }

  #compound(size: number): string {
    if (size < 2) return this.#one(this.#one(this.#below(2) === 0 ? COMMON : RARE));
    const part = 1 + this.#below(size - 1);
    const list = () => this.#list(size - part);
    const test = this.#chain(part);
    const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
    this.#loops += 1;
    const n = `n${this.#loops}`;
    const forms: readonly (() => string)[] = [
      () => `( ${this.#list(size)} )`,
      () => `{ ${this.#list(size)}; }`,
      () => `if ${test}; then ${list()}; fi`,
      () => `if ! ${test}; then ${list()}; fi`,
      () => `if ! npm test; then ${list()}; fi`,
      () => `if ${test}; then ${list()}; else ${this.#list(1)}; fi`,
      () => `if alpha; then ${test}; elif npm test; then ${list()}; fi`,
      () => `npm test || { ${list()}; }`,
      () => `for p in a b; do ${this.#list(size)}; done`,
      () => `for p in a b; do ${test}; [ $p = a ] || break; ${list()}; done`,
      () => `for p in $s a; do ${this.#list(size)}; done`,
      () => `${n}=; while ${n}=x$${n}; [ $${n} != xxx ] && { ${test}; }; do ${list()}; done`,
      () => `${n}=; until ${n}=x$${n}; [ $${n} != xxx ] || exit 1; ${test}; do ${list()}; done`,
      () => `case ${this.#one(["a", '"$s"', "$?"])} in a) ${test} ;; ${this.#one(["*", "b", "0"])}) ${list()} ;; esac`,
      () => `f() { ${this.#list(size)}; }`,
      () => `f() { ${test}; }; f; ${list()}`,
      () => `g() ( ${this.#list(size)} )`,
      () => `x=$( ${this.#list(size)} )`,
      () => `eval ${quoted(this.#list(size))}`,
      () => `bash -c ${quoted(this.#list(size))}`,
      () => `trap ${quoted(this.#list(size))} EXIT`,
    ];
    return this.#one(forms)();
  }

  #one<T>(list: readonly T[]): T {
    const one = list[this.#below(list.length)];
    if (one === undefined) throw new Error("an empty list");
    return one;
  }

  #below(limit: number): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#seed / 2 ** 32) * limit);
  }
}
