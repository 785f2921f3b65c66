const ALWAYS =
  /(?:^|\/)(?:README|LICEN[CS]E|NOTICE|AUTHORS|CHANGELOG|CONTRIBUTING|CODE_OF_CONDUCT|CITATION)(?:\.(?:md|txt|rst|adoc))?$/i;
const BY_ENDING = /\.(?:md|markdown|rst|adoc|png|jpe?g|gif|webp|avif|ico|bmp|pdf)$/i;
/** Programs and tests read the texts and images in these folders. */
const SOURCES =
  /(?:^|\/)(?:src|lib|app|pkg|internal|tests?|__tests__|spec|e2e|fixtures|__fixtures__|testdata|prompts|templates|assets|public)\//i;

/** Documentation: tests, builds and lints that passed still count after it changed. */
export function isDocumentation(path: string): boolean {
  return BY_ENDING.test(path) ? ALWAYS.test(path) || !SOURCES.test(path) : ALWAYS.test(path);
}
