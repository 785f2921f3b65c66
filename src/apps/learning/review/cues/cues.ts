import type { DirectiveType } from "../../../../base/words/contract.ts";

/** A sentence that is nearly a directive. `text` is the wording for the contract. */
export type Cue = { readonly type: DirectiveType; readonly text: string; readonly strength: number };

const FROM_NOW_ON = 0.9;
const ALWAYS_NEVER = 0.8;
const STOP_DOING = 0.9;
const NOT_AGAIN = 0.85;

/** Courtesies and forms of address that say nothing about the wish. */
const OPENERS =
  /^(?:(?:ok(?:ay)?|so|and|also|but|hey|hi|thanks|thank you|great|good|fine|nice|well|actually|again|look|listen|btw|by the way|one (?:more )?(?:thing|request|note)|please|pls|plz|kindly|seriously|just|once more|as i said|like i said|i (?:told you|said)(?=[:,])|for the last time|oh|ugh|no|yes|reminder|note|p\.?s\.?)\b[\s,.!:;–—-]*)+/i;
const FRAMES =
  /^(?:(?:can|could|would|will) you (?:please )?|(?:i(?:'d| would) (?:really )?(?:like|prefer|love|appreciate|ask) (?:it if )?you (?:to )?)|i(?:'ve| have)? (?:already )?(?:told|asked) you (?:\w+ )?to |i (?:need|want) you to |you (?:should|must|need to|have to) (?=(?:always|never)\b)|please )+/i;

/** A one-time wish, or not the writer's own wish. */
const ONCE =
  /\b(?:yet|for now|right now|this time|just (?:this )?once|for the moment|until (?:i|we|the|it|you|he|she|they|tomorrow|monday|next)|today|tonight|tomorrow|in this (?:file|function|case|test|script|one|example|paragraph|draft|section|story|chapter|query)|for this (?:one|file|task|test|pr|ticket|run|example))\b/i;
const REPORTED =
  /\b(?:said|says|say|wrote|writes|told me|tells|asked me|asks|according to|thinks?|claims?|argues?|suggests?|recommends?|complain(?:s|ed)|mentioned|reads?|states?|means?|meant|insists?|wants? (?:me|us|them)|would like (?:me|us)|sagte?|meinte?|dit|a dit|dijo|dice|disse|zei)\b/i;
const HYPOTHETICAL = /\b(?:if|suppose|imagine|what happens|wonder|whether|unless i'm|would it|had you|were to)\b/i;
/** The wish is about another person or a thing, not the agent. */
const OTHERS =
  /\b(?:users?|customers?|clients?|people|visitors|he|she|they|everyone|everybody|nobody|the (?:app|page|server|script|function|function's|job|service|system|button|class|method|component|tool|build|worker|daemon|cron|query|loop|program|process|test|pipeline|database|cache|model|code|parser|endpoint|route|form|widget|bot|crawler|scheduler|hero|main character|character|player|kids?|dog|cat|team|guests?))\b/i;
/** A statement, not an order: it has a finite verb and mentions neither the writer nor the agent. */
const STATES = /\b(?:will|would|might|may|is|are|was|were|has|have|can|could|should|gets?|becomes?)\b/i;
/** Behavior of an agent, not of a program: "always return null" is a task. */
const CONDUCT =
  /^(?:ask|answer|reply|respond|confirm|check|double-check|verify|tell|show|explain|summari[sz]e|cite|quote|use|write|run|test|commit|push|force-push|deploy|merge|rebase|delete|remove|drop|send|mail|e-?mail|post|share|publish|format|include|add|mention|start|end|begin|finish|sign|call|speak|talk|keep|give|list|link|back|read|review|propose|suggest|guess|assume|invent|make|apologi[sz]e|edit|touch|change|modify|install|upgrade|put|leave|skip|wait|warn|notify|let|get|work|book|buy|order|pay|spend|forward|schedule|store|save|print|paste|translate|address|greet|be|do|go|open|close|move|rename|overwrite|create|ship|release|refactor|rewrite|round|convert|state|name|number|highlight|attach|copy|disclose|reveal|promise|say|provide|present|offer|prefer|stick|follow|remember|note|log|report|label|indent|bump|squash|tag|stage|disable|bypass|ignore|comment|clean|restart|stop|kill)$/i;
/** Refers to something outside the sentence. */
const VAGUE =
  /^(?:(?:don't|do not|dont|always|never)\s+)?(?:ever\s+)?(?:keep )?(?:do(?:ing)?|say|try|run|use|make|send|call|touch|open|be|keep) (?:that|this|it|so|them|those|like this|like that|it up)\b/i;

/** Describes something that happens repeatedly. */
const HABIT =
  /\b(?:every|all the|always|again|constantly|so (?:much|many|often)|without|each|any(?:thing|one)?|at the (?:end|start)|unless|when(?:ever)? you|before)\b/i;
/** What an agent does in a conversation, without a specific object. */
const TALKING =
  /^(?:stop|quit) (?:sending|asking|apologi[sz]ing|saying|using|adding|writing|telling|repeating|explaining|suggesting|guessing|assuming|mentioning|greeting|signing|summari[sz]ing|posting|inventing|lecturing|hedging|asking)\b(?! (?:the|this|that|these|those|it|them|a|an)\b)/i;

const SELF = /\b(?:me|my|mine|i|us|our|you|your|yourself)\b/i;

/** Phrases for "from now on", with the negation of each language. */
const LASTING: readonly { readonly cue: RegExp; readonly not: RegExp }[] = [
  {
    cue: /\b(?:from (?:now|here|this point|today) on(?:wards?)?|going forward|moving forward|in (?:the )?future|henceforth)\b/i,
    not: /\b(?:stop|don't|do not|dont|never|no|avoid|quit|refrain|skip|drop|omit|leave out)\b/i,
  },
  {
    cue: /\b(?:ab (?:jetzt|sofort|heute)|von (?:jetzt|nun) an|in zukunft|künftig)\b/i,
    not: /\b(?:nicht|kein\w*|nie|niemals|ohne)\b/i,
  },
  {
    cue: /(?<!\p{L})(?:à partir de maintenant|dorénavant|désormais|à l'avenir)(?!\p{L})/iu,
    not: /\b(?:ne|pas|jamais|sans|arrête[sz]?)\b/i,
  },
  {
    cue: /\b(?:a partir de ahora|de ahora en adelante|en adelante|en el futuro)\b/i,
    not: /\b(?:no|nunca|jamás|sin|deja)\b/i,
  },
  { cue: /\b(?:d'ora in (?:poi|avanti)|da ora in poi|in futuro)\b/i, not: /\b(?:non|mai|senza|smetti)\b/i },
  {
    cue: /(?<!\p{L})(?:a partir de agora|daqui (?:em|para a) (?:diante|frente))(?!\p{L})/iu,
    not: /(?<!\p{L})(?:não|nunca|sem|pare)(?!\p{L})/iu,
  },
  { cue: /\b(?:vanaf nu|voortaan|in het vervolg)\b/i, not: /\b(?:niet|geen|nooit|zonder|stop)\b/i },
  {
    cue: /(?<!\p{L})(?:fra nå av|från och med nu|fra nu af|i fremtiden|i framtiden)(?!\p{L})/iu,
    not: /\b(?:ikke|inte|aldri[g]?|ingen|slut[ta]?)\b/i,
  },
  {
    cue: /(?<!\p{L})(?:od teraz|отныне|с этого момента|впредь)(?!\p{L})/iu,
    not: /(?<!\p{L})(?:nie|nigdy|bez|не|никогда|без)(?!\p{L})/iu,
  },
  {
    cue: /从现在(?:开始|起)|今后|以后(?:请|都|要|不要)|今後は?|これからは/u,
    not: /不要|别|不再|勿|しない|ないで|やめ/u,
  },
];

/**
 * Reads one sentence in the writer's own words, with quotations masked in `masked`. Returns `undefined` without a cue
 * or in doubt.
 */
export function readCue(written: string, maskedText: string): Cue | undefined {
  const [sentence, masked] = [withoutUnseen(written), withoutUnseen(maskedText)];
  const plain = masked.replace(OPENERS, "");
  const asks = /\?\s*$/.test(plain);
  const core = plain.replace(FRAMES, "").replace(OPENERS, "");
  const framed = core.length < plain.length;
  if (asks && (!framed || (/^(?:can|could|would|will) you\b/i.test(plain) && !/\b(?:stop|please)\b/i.test(plain))))
    return undefined;
  if (REPORTED.test(core) || HYPOTHETICAL.test(plain)) return undefined;
  return (
    stopDoing(core, sentence, masked) ??
    lasting(plain, sentence) ??
    alwaysNever(core, sentence) ??
    notAgain(core, sentence)
  );
}

/** "Stop sending me reports": the words after "stop" are the directive. */
function stopDoing(core: string, sentence: string, masked: string): Cue | undefined {
  const match = /^(?:stop|quit) (?=(\p{L}+ing)\b)/iu.exec(core);
  if (match === null || ONCE.test(core) || OTHERS.test(core)) return undefined;
  if (!SELF.test(core) && !HABIT.test(core) && !TALKING.test(core)) return undefined;
  const at = masked.lastIndexOf(core.slice(match[0].length));
  return cueOf("stop", at < 0 ? quoted(sentence) : bare(sentence.slice(at)), STOP_DOING);
}

/** "From now on …": a lasting order, in any of the languages above. */
function lasting(plain: string, sentence: string): Cue | undefined {
  const found = LASTING.find(({ cue }) => cue.test(plain));
  if (found === undefined || ONCE.test(plain)) return undefined;
  const rest = plain
    .replace(found.cue, "")
    .replace(/^[\s,:]+/, "")
    .replace(OPENERS, "");
  if (/^(?:i|we|it|he|she|they|this|that|there|the|a|an|all)\b(?!(?:'d| would) (?:like|prefer))/i.test(rest))
    return undefined;
  if (VAGUE.test(rest) || (STATES.test(rest) && !SELF.test(rest))) return undefined;
  return cueOf(found.not.test(plain) ? "stop" : "start", quoted(sentence), FROM_NOW_ON);
}

/** "Always ask first", "never push to main": only at the start of an order. */
function alwaysNever(core: string, sentence: string): Cue | undefined {
  const [, word = "", verb = ""] = /^(always|never|(?:don't|do not|dont) ever) (\p{L}+(?:-\p{L}+)?)/iu.exec(core) ?? [];
  if (!CONDUCT.test(verb) || VAGUE.test(core) || ONCE.test(core) || OTHERS.test(core)) return undefined;
  if (/^(?:don't|do not|dont) ever stop\b|^never stop\b/i.test(core)) return undefined;
  return cueOf(/^always$/i.test(word) ? "start" : "stop", quoted(sentence), ALWAYS_NEVER);
}

/** "Please don't do that again": the sentence must name the action. */
function notAgain(core: string, sentence: string): Cue | undefined {
  if (!/^(?:please )?(?:don't|do not|dont|you (?:don't|do not|dont) (?:need|have) to)\b/i.test(core)) return undefined;
  if (!/\b(?:again|any ?more|ever)\s*[.!]*$/i.test(core) || ONCE.test(core) || OTHERS.test(core)) return undefined;
  if (VAGUE.test(core)) return undefined;
  return cueOf("stop", quoted(sentence), NOT_AGAIN);
}

function withoutUnseen(text: string): string {
  return text.replace(/\p{Cf}/gu, "");
}

function cueOf(type: DirectiveType, text: string, strength: number): Cue {
  return { type, text, strength };
}

function bare(text: string): string {
  return text.trim().replace(/[\s.!?…]+$/u, "");
}

function quoted(sentence: string): string {
  return `“${sentence.trim().replaceAll(/[“”]/g, "'")}”`;
}
