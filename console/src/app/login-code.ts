/** The code in what a person pastes: a whole login link, or the code alone. `undefined` when there is none. */
export function loginCodeIn(text: string): string | undefined {
  return /(?:^|[#&]code=)(cl_[\w-]+)\s*$/.exec(text.trim())?.[1];
}
