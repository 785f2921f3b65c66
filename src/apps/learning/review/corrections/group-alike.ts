import { contentWords, likeness } from "./content-words.ts";

type Group<T> = { readonly words: ReadonlySet<string>; readonly members: T[] };

/** Groups looked at for one member: those that share a word and were begun last. */
const MOST_LOOKED_AT = 40;

/**
 * Those that say the same, in the order in which they came: each joins the group whose first member it is most alike, or begins one. Only
 * members with the same `apart` meet. Time is linear in the members.
 */
export function groupAlike<T>(
  members: readonly T[],
  {
    apart,
    text,
    alike,
  }: { readonly apart: (member: T) => string; readonly text: (member: T) => string; readonly alike: number },
): readonly (readonly T[])[] {
  const groups: Group<T>[] = [];
  const byWord = new Map<string, Group<T>[]>();
  for (const member of members) {
    const words = contentWords(text(member));
    const where = apart(member);
    const found = nearest(words, where, byWord, alike);
    if (found !== undefined) {
      found.members.push(member);
      continue;
    }
    const group = { words, members: [member] };
    groups.push(group);
    for (const word of words) {
      const key = `${where}\n${word}`;
      const known = byWord.get(key);
      if (known === undefined) byWord.set(key, [group]);
      else known.push(group);
    }
  }
  return groups.map((group) => group.members);
}

function nearest<T>(
  words: ReadonlySet<string>,
  where: string,
  byWord: ReadonlyMap<string, Group<T>[]>,
  alike: number,
): Group<T> | undefined {
  let best: Group<T> | undefined;
  let most = 0;
  const lists = [...words].map((word) => byWord.get(`${where}\n${word}`) ?? []).sort((a, b) => a.length - b.length);
  const looked = new Set(lists.flatMap((list) => list.slice(-MOST_LOOKED_AT)).slice(0, MOST_LOOKED_AT));
  for (const group of looked) {
    const share = likeness(words, group.words);
    if (share >= alike && share > most) {
      best = group;
      most = share;
    }
  }
  return best;
}
