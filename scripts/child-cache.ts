/**
 * Programs started by tests use the compile cache, because they mostly start up. Coverage disables the cache for
 * vitest's processes, whose children inherit that although they are not measured.
 */
delete process.env.NODE_DISABLE_COMPILE_CACHE;
process.env.NODE_COMPILE_CACHE = process.env.CONDUCT_TEST_CACHE ?? "";
