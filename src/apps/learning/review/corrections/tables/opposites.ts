/** Pairs `word:other`, as a map. */
function pairs(list: string): ReadonlyMap<string, string> {
  return new Map(
    list
      .trim()
      .split(/\s+/)
      .map((pair) => pair.split(":") as [string, string]),
  );
}

/** Wanting less of it is what `too …` says, but for these, of which there is too little: what is wanted instead. */
export const LACKED =
  pairs(`short:detailed brief:detailed terse:detailed concise:detailed curt:friendly cold:friendly vague:specific generic:specific abstract:concrete shallow:thorough
  superficial:thorough sloppy:careful careless:careful sparse:detailed thin:detailed rare:frequent infrequent:frequent quiet:frequent slow:quick passive:proactive timid:direct unclear:clear
  dry:lively hasty:careful quick:careful few:many little:much blunt:polite cryptic:clear`);

/** What somebody has too much of who asks for this. */
export const SHRUNK =
  pairs(`short:long shorter:long brief:long briefer:long concise:long succinct:long terse:wordy terser:wordy compact:long crisp:long crisper:long snappy:long snappier:long tight:long
  tighter:long simple:complicated simpler:complicated small:large smaller:large quiet:noisy quieter:noisy calm:excited calmer:excited leaner:bloated lighter:heavy drier:flowery slower:hasty briefly:long concisely:long flatter:nested`);

/** Comparatives of which more is wanted. */
export const GROWN =
  pairs(`longer:long deeper:deep clearer:clear friendlier:friendly nicer:nice warmer:warm stricter:strict bolder:bold kinder:kind sharper:sharp richer:rich fuller:full politer:polite
  quicker:quick faster:fast better:good harsher:harsh tougher:tough earlier:early louder:loud`);
