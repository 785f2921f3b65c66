/** Older notices are not shown to a session that has not seen them. */
const FRESH_MS = 3_600_000;
const MOST = 20;

/** What people are told in the runtime itself: each session shows each notice once. */
export class GuardNotices {
  readonly #notices: { readonly text: string; readonly at: number; readonly heard: Set<string> }[] = [];

  add(text: string, at: number): void {
    this.#notices.push({ text, at, heard: new Set() });
    this.#notices.splice(0, this.#notices.length - MOST);
  }

  /** `undefined` when there is nothing new for this session. */
  take(session: string, now: number): string | undefined {
    const news = this.#notices.filter(({ at, heard }) => now - at < FRESH_MS && !heard.has(session));
    for (const { heard } of news) heard.add(session);
    return news.length === 0 ? undefined : news.map(({ text }) => `Conduct: ${text}`).join("\n");
  }
}
