/** How test runners say that no test ran although they end with status 0. */
const NOTHING =
  /\[no tests to run\]|^testing: warning: no tests to run|\[no test files\]|^running 0 tests\b|^Executed 0 tests\b|No test matches the given testcase filter|^No tests were found!+|^No tests executed!|^0 examples, 0 failures|^\s*0 passing\b|^(?:#|ℹ) tests 0\b|There are no tests to run|^No tests found\b/m;
/** How they say that some ran. */
const SOME =
  /^ok\s+\S+\s+(?:\(cached\)|[\d.]+s)(?:\s+coverage:.*)?\s*$|^--- PASS|^running [1-9]\d* tests?\b|^Executed [1-9]\d* tests?\b|\b[1-9]\d* (?:passing|passed|examples?|tests?\b|assertions)|^(?:#|ℹ) (?:tests|pass) [1-9]|\bPassed: +[1-9]|^OK \([1-9]/m;
/** The summary stands near the end of the output. */
const MAX_OUTPUT = 200_000;

/**
 * Whether the output of a test run says that its filter matched no test: `go test -run Nope` and `cargo test nope` still
 * end with status 0.
 */
export function saysNoTestsRan(output: string): boolean {
  const end = output.slice(-MAX_OUTPUT);
  return NOTHING.test(end) && !SOME.test(end);
}
