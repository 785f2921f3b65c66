import { normaliseDirective } from "../../../../behavior/contract/normalise-directive.ts";

/** What is said besides, after the wish. */
const BESIDES =
  /(?:\s*[;—–(]|\s-{1,2}\s|(?<!\b(?:when|if|what|that|which|how|where|unless|until|before|after|while|than|as|whenever|time|who|to|so|and|or|my|your))[,.!?]?\s+(?:because|cause|cuz|since (?:i|it|we|you|they)|as (?:i|it|we|my|that|this)\b|so that|so (?:i|we|it|my|that|people)\b|otherwise|thanks|thank you|thx|ty|would you|will you|could you|ok(?:ay)?\b|lol|haha|it's|its(?! own)|it is|that's|thats|this is|that is|i'm|im|i can|i can't|i don't|i do|i've|i know|i have|i get|i already|they're|it just|it really|right)\b)[\s\S]*$/i;
/** A part after a comma that belongs to what is before it. */
const BELONGS =
  /^\s*(?:and|or|unless|without|before|when|whenever|if|not|instead|rather|especially|even|only (?:when|if)|except|nor|at least|like|such as|e\.g|but (?:only|not|do))\b/i;
const TRAILING =
  /[\s,]*\b(?:please|pls|plz|kindly|from (?:now|here) on(?: out)?|next time|going forward|moving forward|in (?:the )?future|any ?more|again|ever again|already|though|tho|man|dude|mate|buddy|(?<!\bmy )ok(?:ay)?|thanks|thx|as well|too|right|alright|by the way|btw|a (?:bit|little|lot)|would be (?:great|nice|good|better|helpful|appreciated|lovely|fine|awesome|perfect)|always|in general|overall|for me|lol|will you|would you|yeah|for my taste|at all times)\s*$/i;
const ENDS = /^[\s,;:.!?…"'“”*_-]+|[\s,;:.!?…*_\p{Extended_Pictographic}-]+$/gu;
const MOST_WORDS = 30;

/** The words of a directive: what the person wrote, without courtesies and reasons. */
export function tidyText(written: string): string {
  let text = withoutReasons(written.replace(/\s+/g, " ").replace(/\.(?=\s)[\s\S]*$/, ""));
  text = text.replace(/ would(?:n't| not)? (?:hurt|be \p{L}+)\b/iu, "");
  for (let before = ""; before !== text; ) {
    before = text;
    text = text.replace(ENDS, "").replace(TRAILING, "");
  }
  return text.split(" ").slice(0, MOST_WORDS).join(" ");
}

function withoutReasons(written: string): string {
  const text = written.replace(BESIDES, "") || written;
  const parts = text.split(",");
  let kept = parts[0] ?? "";
  for (const part of parts.slice(1)) {
    if (kept.trim() !== "" && !BELONGS.test(part)) break;
    kept += `,${part}`;
  }
  return kept;
}

/** Points at something that is not there. */
const VAGUE =
  /^(?:(?:doing|being|like|with|using|and|or|so|do|have|having|the|a|all|of|for|to|me|you|it|that|this|them|those|these|one|ones|thing|things|stuff|same|way|way|now|here|there)(?:\s+|$))+$|^(?:saying|asking|doing|sending|using|writing|adding|making) (?:that|this|it|so|them|those|these)$/i;

/** `undefined` where the contract refuses it, or where it says nothing by itself. */
export function soundText(text: string): string | undefined {
  const normal = normaliseDirective(text.replace(/[\p{Cc}\p{Cf}]/gu, ""));
  return "refused" in normal || !/\p{L}{2}/u.test(normal.text) || VAGUE.test(normal.text) ? undefined : normal.text;
}

const DOUBLED =
  /^(?:run|get|put|set|stop|cut|let|begin|commit|submit|plan|skip|drop|strip|ship|stub|log|tag|swap|wrap|chat|ping?|nag|plug|trim|sit|win|dig|grab|jot|refer|omit|forget|debug|format?|spam|hit|quit|step|zip|map|clap|yap|stir|permit|admit|rebut|defer)$/;

/** `send` -> `sending`. */
export function gerundOf(verb: string): string {
  if (/ing$/.test(verb) && verb.length > 4 && !/^(?:bring|string|swing|cling|sling|fling|spring|wring)$/.test(verb))
    return verb;
  if (DOUBLED.test(verb) && !/(?:ping|format)$/.test(verb)) return `${verb}${verb.at(-1)}ing`;
  if (/ie$/.test(verb)) return `${verb.slice(0, -2)}ying`;
  if (/[^aeoy]e$/.test(verb) || /ue$/.test(verb)) return `${verb.slice(0, -1)}ing`;
  return `${verb}ing`;
}

/** `asked` -> `ask`: what somebody would rather have had. */
export function presentOf(verb: string): string {
  const known = IRREGULAR.get(verb);
  if (known !== undefined) return known;
  const stem = verb.replace(/ed$/, "");
  if (stem === verb) return verb;
  if (stem.endsWith("i")) return `${stem.slice(0, -1)}y`;
  if (/([bdgmnprt])\1$/.test(stem)) return stem.slice(0, -1);
  return DROPPED_E.test(stem) ? `${stem}e` : stem;
}

const DROPPED_E =
  /(?:^us|clud|cit|clos|elet|merg|sav|mov|at|rib|is|iz|not|quot|enc|ur|vid|pos|duc|ignor|prepar|compar|arch?iv|writ|nam|tim|cod|typ|solv|leav|giv|mak|tak|shar|prov|defin|combin|writ|execut|minimis|minimiz)$/;

const IRREGULAR: ReadonlyMap<string, string> = new Map(
  "kept:keep told:tell gave:give sent:send wrote:write made:make ran:run said:say were:be was:be used:use had:have took:take did:do let:let put:put left:leave spoke:speak stuck:stick began:begin got:get showed:show read:read added:add checked:check asked:ask answered:answer waited:wait replied:reply stopped:stop included:include explained:explain linked:link mentioned:mention started:start ended:end called:call listed:list confirmed:confirm"
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);
