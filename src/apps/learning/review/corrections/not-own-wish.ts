/** A question that asks to be answered, and not the agent to behave. */
const ASKS =
  /^(?:(?:so|and|but|hey|ok|okay|hi|hmm|also|well|btw|please|quick question|question)[\s,:]+){0,4}(?:why|what|what's|how|how's|who|whose|whom|where|which|when (?:should|do|does|did|will|can|is|are|was|would|could|must|have|has)|do (?:you|i|we|they|the|these|those|people|users|any)|does|did|is|are|am|was|were|should|shall|may|has|have (?:you|we|i|they)|had|any idea|could (?:i|it|this|that|the|they)|can (?:i|it|this|that|the|they|someone|anyone)|would (?:it|this|that|the|they)|will (?:it|this|that|the|they|i)|isn't|aren't|doesn't|won't (?:it|this|that|the|they)|wouldn't|shouldn't (?:i|we|it|the|this)|could you (?:please )?(?:tell|explain|show|say)|can you (?:please )?(?:tell|explain|show|say|check|see|find|think|spot|help)|would you (?:say|recommend|prefer|use)|if)\b/;
/** Asked, and wished all the same. */
const WISHES =
  /\b(?:(?:can|could|would|will|can't|couldn't|won't) you\b|(?:can|could|can't) we (?:please |just )?(?:stop|lose|drop|cut|avoid|skip|not|keep|tone|go|try|agree|ditch|get rid|have (?:fewer|less|more|shorter))\b|(?:can|could) i (?:ask|get|have) you\b|(?:can|could|would) your [\p{L} ]{2,30} be (?:a (?:bit|little|lot) |much )?(?:less|more|[\p{L}]+er)\b|would you mind|do you mind|mind (?:not |\w+ing\b)|how about|what about|how many times|didn't i (?:tell|ask|say)|do i (?:really |still )?(?:have|need) to (?:tell|ask|remind)|why (?:do|must|are) you (?:always |still |constantly )?(?:keep|insist)|what did i (?:say|tell you)|is it possible for you to|have i not|haven't i)/u;

/** Can anybody? */
const GENERIC =
  /^(?:(?:so|and|but|hey|ok)[\s,]+)*can you (?:always|ever|never) (?!.*\b(?:me|my|your|please|answer|reply|respond|stop|ask)\b).*$/;

/** Somebody else said it, or somewhere else it says so. */
const REPORTED =
  /(?:^|[\s,(])(?!(?:i|i've|i'd|i'm|you|you've|just|already|have|had|never|not|clearly|explicitly|literally|to|only|specifically|once|twice|also|been|again|always|we|repeatedly|don't|didn't|please|and|or|then|can|could|should|must|would|what|that|it|as|like|when|before|people|everything|just|simply|first|who|will|may|might|wishes|your|my|our|these|those|any|all|the|their)\s)[\p{L}'-]+ (?:said|says|told|tells|wrote|writes|complains?|complained|suggested|suggests|recommends?|recommended|insists?|insisted|thinks|wants|wanted|states|mandates|requires|demands?|demanded|prefers|warns|warned|advises|advised|mentioned|argues|claims)\b|\b(?:he|she|they|who|somebody|someone|people|everyone|customers|users|folks) (?:said|say|told|tell|wrote|asked|ask|wants?|wanted|keeps? (?:telling|asking|saying)|complained|complain|think|like)\b|\baccording to\b|(?<!\b(?:you|have|i|i've) )\b(?:told|asked|tells|reminded|taught|advised) (?:me|us|him|her|them)\b|\bi (?:told|asked) (?:him|her|them|my|the|our)\b|\b(?:was|were|been|got) told\b|\bas they say\b|^quote[:,]|, (?!i\b)[\p{L}]+ (?:says|said)[.!]*$/u;
const HYPOTHETICAL =
  /^(?:(?:and|but|so|ok|hey|well|hmm)[\s,]+)*(?:if (?:i|we|they|he|she|it|the|somebody|someone)\b|if you (?:had|were|would|could|stopped|\w+ed)\b|imagine|suppos(?:e|ing)|assuming|assume (?:that|we|i|you|the)|let's (?:say|assume|pretend)|pretend|in theory|hypothetically|what if|say you|had you|were you)\b|\b(?:i might (?:want|need|like|prefer)|i may (?:want|need)|not sure (?:yet|if|whether)|one day|someday|i wonder|wondering (?:if|whether|why|how)|i'm curious|thinking (?:about|of) whether)\b/;
const SARCASTIC =
  /^(?:(?:oh|ah|haha|lol|hm+)[\s,]+)?(?:oh sure|sure(?:,| because| why not)|oh (?:great|yeah|wow|good|nice|lovely|joy|please)|yeah (?:right|sure|because|cause|cuz)|yeah, (?:right|sure|because)|(?:great|wonderful|fantastic|lovely|wow|brilliant|cool|awesome|nice)[,!]? (?:another|yet another|one more|more|thanks for nothing|exactly what)|thanks a lot for|just what i (?:needed|wanted)|because (?:what|that's|who)|clearly what)\b|(?:^|\s)\/s\s*$|🙄|😒|😏/u;
const NOT_MEANT =
  /\b(?:i'm not (?:saying|asking|suggesting|telling)|i (?:don't|do not) (?:mean|think you (?:should|need))|not (?:saying|asking) (?:that )?you|just kidding|jk|joking|never ?mind|(?<!don't |not |never )forget (?:it|that|what i said)|no worries|don't worry|feel free|you can never|you never know|can't have too|can never have too|you don't (?:need|have) to be any)\b/;

/** Why a sentence is not the writer's own wish on how the agent should behave; `undefined` where nothing says so. */
export function notOwnWish(
  sentence: string,
): "question" | "reported" | "hypothetical" | "sarcastic" | "not-meant" | undefined {
  const bare = sentence.trim();
  if (SARCASTIC.test(bare)) return "sarcastic";
  if (NOT_MEANT.test(bare)) return "not-meant";
  if (HYPOTHETICAL.test(bare)) return "hypothetical";
  if (REPORTED.test(bare)) return "reported";
  const wishes = WISHES.test(bare) && !GENERIC.test(bare);
  if (/\?[\s"')!?\]]*$/.test(bare))
    return wishes && !/^if\b/.test(bare) && !asksForWords(bare) ? undefined : "question";
  return ASKS.test(bare) && !/^(?:if)\b/.test(bare) && (!wishes || asksForWords(bare)) ? "question" : undefined;
}

function asksForWords(sentence: string): boolean {
  return /\b(?:can|could|would|will) you (?:please )?(?:tell me (?:how|why|what|when|where|if|whether|which|who)|explain|check (?:if|whether|the|this|that)|see (?:if|why|whether)|spot|find|think of|help|look|rather|prefer|say|recommend)\b/.test(
    sentence,
  );
}
