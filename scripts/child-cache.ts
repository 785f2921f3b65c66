/**
 * The programs that tests start keep what they have compiled, for the next one: most of what they do is to start. Coverage forbids
 * a cache to vitest's own processes, which hand that down to programs that nobody measures.
 */
delete process.env.NODE_DISABLE_COMPILE_CACHE;
process.env.NODE_COMPILE_CACHE = process.env.CONDUCT_TEST_CACHE ?? "";
