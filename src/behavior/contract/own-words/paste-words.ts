/** Entries with commas between them. */
function list(text: string): readonly string[] {
  return text.trim().split(/,\s+/);
}

function anyOf(words: readonly string[]): string {
  return words.map((word) => word.replaceAll(/[.()?]/g, "\\$&")).join("|");
}

/** A line with only these words, apart from dashes and colons, opens a message of somebody else. */
const OPENINGS = list(`
  original message, original appointment, forwarded message, forwarded by me, begin forwarded message,
  begin forwarded email, start of forwarded message, reply message, replied message, quoted message,
  quoted text, end of original message, ursprüngliche nachricht, originalnachricht, weitergeleitete nachricht,
  anfang der weitergeleiteten nachricht, zitierte nachricht, zitat, message d'origine, message original,
  message transféré, message réexpédié, début du message réexpédié, début du message transféré, citation,
  mensaje original, mensaje reenviado, inicio del mensaje reenviado, comienzo del mensaje reenviado, cita,
  messaggio originale, messaggio inoltrato, inizio messaggio inoltrato, mensagem original,
  mensagem encaminhada, mensagem reencaminhada, início da mensagem encaminhada, oorspronkelijk bericht,
  oorspronkelijke bericht, doorgestuurd bericht, begin doorgestuurd bericht, oprindelig meddelelse,
  videresendt meddelelse, opprinnelig melding, videresendt melding, ursprungligt meddelande,
  vidarebefordrat meddelande, vidarebefordrat brev, alkuperäinen viesti, välitetty viesti,
  wiadomość oryginalna, oryginalna wiadomość, przekazana wiadomość, původní zpráva, přeposlaná zpráva,
  исходное сообщение, пересылаемое сообщение, пересланное сообщение, начало переадресованного сообщения,
  orijinal mesaj, iletilen ileti, 原始邮件, 原始郵件, 转发的邮件, 轉寄郵件, 转发邮件, 元のメッセージ, 転送メッセージ, 転送されたメッセージ, 원본 메시지,
  전달된 메시지, quote
`);
export const OPENING = new RegExp(`^(?:${anyOf(OPENINGS)})$`, "iu");

/** Verbs at the end of the line above a quotation: `On Monday Bob wrote:`. */
const SAYS = list(`
  wrote, writes, said, says, posted, replied, answered, commented, asked, asks, sent, sends, shared, texted,
  messaged, emailed, schrieb, schreibt, sagte, sagt, meinte, antwortete, a écrit, écrit, a dit, a répondu,
  escribió, escribio, dijo, respondió, ha scritto, scrive, ha detto, escreveu, disse, schreef, skrev,
  kirjoitti, napisał, napisała, napisał(a), napsal, написал, написала, написал(а), пишет, yazdı, 写道, 寫道, 书写
`);
/** Few words may follow the verb (`wrote the following:`). */
export const SAYS_AT_END = new RegExp(
  `(?:^|[\\s,>*_"”)\\]])(?:${anyOf(SAYS)})(?:\\s+(?:<[^<>\\s]+>|[^\\s:：.!?]+)){0,4}\\s*[*_]{0,2}[:：]\\s*[*_]{0,2}$`,
  "iu",
);
/** A line with an address that ends in a colon, whatever its language. */
export const ADDRESS_SAYS = /\S@\S+\.\S[^:]*[:：]$/u;
export const JAPANESE_SAYS = /(?:のメール|のメッセージ|が書きました|さんは書きました|님이 작성)\s*[:：]?$/u;
/** The operator speaks of themselves: `as I said:`, `I wrote this yesterday`. */
export const FIRST_PERSON = /(?:^|\s)(?:I|we|I've|we've|ich|wir|je|j'ai|nous|yo|io|eu)\s/iu;

/** `bob commented 2 hours ago`, `Ann opened this issue on May 3`. */
export const SAYS_WITH_TIME =
  /\b(?:commented|wrote|posted|replied|opened this|reviewed|started a discussion|added a comment|left a comment)\b.{0,60}(?:\bago\b|\bon \p{L}+ \d|\byesterday\b|\btoday\b|\b\d{4}\b)/iu;

/** Names of mail headers: one strong header is enough, weak ones count in pairs. */
const STRONG_HEADERS = list(`
  from, sent, subject, reply-to, message-id, in-reply-to, von, gesendet, betreff, expéditeur, envoyé, objet,
  enviado, enviado el, asunto, inviato, oggetto, assunto, verzonden, onderwerp, sendt, emne, skickat, ämne,
  lähettäjä, aihe, wysłano, temat, odesláno, předmět, отправлено, тема, gönderen, konu, 发件人, 寄件者, 发送时间, 主题,
  主旨, 差出人, 送信日時, 件名, 보낸 사람, 제목, forwarded from, weitergeleitet von, transféré de, reenviado de, inoltrato da,
  encaminhado de, переслано от, in reply to, reporter, reported by, written by, posted by
`);
const WEAK_HEADERS = list(`
  date, to, cc, bcc, importance, author, title, description, published, source, url, link, attachments, datum,
  an, kopie, de, à, le, para, fecha, da, a, data, aan, van, fra, til, från, till, kopia, od, do, komu, от,
  кому, дата, копия, kime, tarih, 收件人, 抄送, 日期, 宛先, 日時, 받는 사람, 날짜
`);
/** A header line, which may be bold. The first group matches a strong header. */
export const HEADER = new RegExp(
  `^\\s{0,3}[*_]{0,2}(?:(${anyOf(STRONG_HEADERS)})|(?:${anyOf(WEAK_HEADERS)}))[*_]{0,2}\\s{0,2}[:：][*_]{0,2}(?:\\s|$)`,
  "iu",
);
export const FORWARDED_FROM =
  /^\[?(?:forwarded|weitergeleitet|transféré|reenviado|inoltrato|encaminhado|doorgestuurd|переслано) (?:message )?(?:from|von|de|da|van|от)\b/iu;

/** Words before a colon that name no person, so the text after them is the writer's own. */
export const LABELS: ReadonlySet<string> = new Set(
  list(`
  note, notes, nb, n.b., ps, p.s., p.p.s., fyi, btw, also, additionally, furthermore, moreover, plus, todo,
  task, tasks, context, background, goal, goals, update, updates, status, summary, details, detail, question,
  questions, answer, priority, deadline, channel, please, rule, rules, directive, directives, behavior,
  behaviour, contract, change, changes, feedback, style, tone, format, language, report, reports, today,
  tomorrow, now, next, later, first, second, third, then, finally, plan, plans, idea, ideas, reminder,
  reminders, request, requests, requirement, requirements, preference, preferences, setting, settings,
  general, generally, everywhere, always, everything, all, everyone, hi, hello, hey, thanks, ok, okay, yes,
  no, example, examples, reason, why, what, how, when, where, warning, important, attention, remember, coding,
  code, testing, tests, test, deploy, deployment, deployments, build, writing, meetings, emails, mails,
  answers, replies, messages, bug, fix, feature, project, topic, time, step, re, core, bitte, regel, regeln,
  hinweis, außerdem, heute, aufgabe, noch, wichtig, merci, règle, règles, remarque, aussi, nota, regla,
  reglas, también, por favor, s'il te plaît
`).map((word) => word.toLowerCase()),
);

const GREETINGS =
  "hi|hello|dear|hey|good (?:morning|afternoon|evening)|hallo|liebe[rs]?|sehr geehrte[rs]?|guten (?:morgen|tag|abend)|moin|" +
  "bonjour|bonsoir|salut|cher|chère|chers|hola|estimad[oa]s?|querid[oa]s?|buenos días|ciao|buongiorno|car[oai]|gentile|olá|prezad[oa]s?|" +
  "beste|geachte|hej|kära|hei|dzień dobry|cześć|здравствуйте|привет|уважаем(?:ый|ая|ые)|merhaba";
/** `Dear Ann,`: a greeting with a name is written to somebody. */
export const GREETING = new RegExp(`^(?:${GREETINGS})\\s+\\S.{0,60}[,!:]?$`, "iu");
/** `Best regards,`, with the writer's name on the line below. */
export const CLOSING =
  /^(?:(?:with )?(?:best|kind|warm|many)?\s*(?:regards|wishes|thanks|greetings)|br|kr|rgds|best|cheers|sincerely|yours(?: \S+)?|all the best|love|thanks|thank you|thx|mit (?:freundliche[nm]|beste[nm]|herzliche[nm]) gr(?:üßen|uß|uss)|(?:viele|beste|liebe|herzliche|schöne) grüße|freundliche grüße|gruß|mfg|lg|vg|cordialement|bien (?:à vous|cordialement)|(?:un )?(?:cordial )?saludos?|atentamente|(?:cordiali|distinti) saluti|un abrazo|atenciosamente|abraços?|met vriendelijke groet(?:en)?|groeten|mvh|med vänlig(?:a)? hälsning(?:ar)?|ystävällisin terveisin|pozdrawiam|с уважением|saygılarımla)[,.!]?$/iu;

/** `Fwd: rules`, `WG: Regeln`: a subject that a mail program wrote. */
export const SUBJECT_PREFIX = /^(?:fwd?|wg|aw|tr|rv|re|antw|sv|vs|enc|odp|пересл)\s?:/iu;
export const SIGNED_MESSAGE = /^-*\s*BEGIN PGP (?:SIGNED )?MESSAGE/i;
/** Mail programs of phones sign what they send. */
export const PHONE_SIGNATURE =
  /^(?:sent from my|get outlook for|von meinem .{1,30} gesendet|gesendet (?:von|mit)|envoyé de mon|enviado desde mi|inviato da|verzonden (?:vanaf|met))\b/iu;
/** `Bob says`, without a colon. */
export const SAYS_SHORTLY = new RegExp(`^\\S+(?:\\s+\\S+){0,3}\\s+(?:${anyOf(SAYS)})[.,]?$`, "iu");
/** `What does this mean?`: the text in question follows. */
export const ASKS_ABOUT =
  /(?:^|\s)(?:this|that|these|those|it|below|following|dies(?:e[rsnm]?)?|das|folgende[rsnm]?|ça|ceci|esto|eso|questo)(?=[\s?,])[^?]{0,120}[?？]\s*$/iu;

/** Lines that end in a colon and that only the writer of the directives below them would write. */
const OWN_INTRODUCTIONS =
  "rules?|directives?|changes?|feedback|clear|tweak|additionally|furthermore|plus|preferences?|behaviou?r|contract|things?|points?|wish(?:es)?|requests?|correction|update|results?|" +
  "from (?:now|today|tomorrow|here) on|from (?:now|today)|as of|starting|please|also|then|so|and|but|mind|one|two|three|new|next|more|" +
  "general(?:ly)?|always|everywhere|every(?:one|body|thing)?|all|agents?|reports?|replies|answers?|meetings?|tests?|code|style|tone|" +
  "regeln?|bitte|gilt|ab (?:heute|jetzt|sofort)|außerdem|änderung(?:en)?|wünsche?|alle|immer|künftig|noch|" +
  "règles?|désormais|changements?|aussi|toujours|reglas?|cambios?|siempre|también|desde ahora|regole|cambiamenti";
export const OWN_INTRODUCTION = new RegExp(
  `(?:^|\\s)(?:${OWN_INTRODUCTIONS})(?=[\\s,:：]|$)|^(?:for|when|while|in|on|about|regarding|during|bei|für|wenn|pour|para)\\s`,
  "iu",
);
/** Words that address the agent or refer to the writer. */
export const TO_AGENT =
  /(?:^|\s)(?:you|your|yours|I|we|my|our|let's|du|dir|dein\p{L}*|ihr|euch|Sie|ich|wir|mein\p{L}*|unser\p{L}*|tu|te|ton|ta|tes|vous|vos|votre|je|nous|mon|ma|mes|tú|yo|mi|mis)(?=[\s,:：']|$)/iu;
/** Words that name another source. */
export const FROM_SOMEBODY =
  /(?:^|\s)(?:from|by|via|per|says?|said|told|asked|wants?|sent|wrote|copied|pasted|found|quoting|according|translate|summari[sz]e|explain|rephrase|proofread|von|laut|vom|übersetze|de|du|según|secondo|od|от|dixit)(?!\s(?:now|today|tomorrow|here|heute|jetzt)(?=[\s,:：]|$))(?=[\s:：]|$)/iu;

/** `Translate`, `Thoughts?`, `look what bob sent`: a request about the text below. */
export const WORK_ON_TEXT =
  /^(?:(?:please|can you|could you|would you|pls|bitte|kannst du)\s+)?(?:translate|summari[sz]e|rewrite|rephrase|proofread|explain|review|improve|shorten|correct|paraphrase|check (?:the|this|my)|spell-?check|tl;?dr|thoughts|opinions?|comments|any (?:thoughts|ideas)|look what|look at|see (?:what|below)|read (?:this|below)|here you go|fasse|übersetze|überprüfe|korrigiere|traduis|résume|corrige|traduce|resume)(?=[\s?:,.!]|$)[^.!]{0,80}[?:]?$/iu;
/** A line that is only the name of a kind of text or of a file. */
export const TITLE_OF_TEXT =
  /^(?:[#*_\s]*(?:[\p{L}'’]+\s){0,3}(?:note|notes|description|comment|transcript|invite|invitation|e-?mail|mail|message|memo|letter|announcement|newsletter|ticket|issue|article|post|summary|abstract|excerpt|minutes|nachricht|kommentar|beitrag|correo|mensaje)(?:\s?#?\d+)?[#*_\s]*|[\w./-]+\.(?:md|txt|ya?ml|json|html?|pdf|docx?|log|py|[jt]sx?)|\[\p{L}+\])$/iu;
/** `Bob Smith, CEO`, `Bob Smith · 2h` */
export const NAME_AND_TITLE =
  /^\p{Lu}[\p{L}.'’-]+(?:\s\p{Lu}[\p{L}.'’-]+){1,2}(?:,\s\p{Lu}[\p{L} ]{1,40}|\s?[·•]\s?\d{1,3}\s?(?:s|m|min|h|d|w|mo|y)\b.*)$/u;
/** Phrases of people who try to instruct somebody else's agent. */
export const TO_AGENTS =
  /\b(?:ignore|disregard|forget) (?:all |any |the )?(?:previous|prior|above|earlier)\b|\b(?:dear|attention|notice to|instructions? (?:for|to)|message (?:for|to)) (?:the |all |any )?(?:ai|llm|assistants?|agents?|models?|bots?)\b/iu;

/** `Please summarise this mail:`: announces the named text. */
export const INTRODUCES =
  /(?:^|\s)(?:this|the|that|these|those|following|from|below|here|here's|pasted|forwarded|received|got|attached|an?|his|her|their|diese[rsmn]?|folgende[rsn]?|der|die|das|von|ce|cet|cette|du|le|la|este|esta|el|del)\s(?:.{0,60}\s)?(?:e-?mails?|mails?|messages?|letter|text|article|page|website|posts?|comments?|thread|transcript|chat|conversation|logs?|output|tickets?|issue|documents?|docs?|file|snippet|paste|quote|excerpt|readme|newsletter|reply|response|prompt|nachricht(?:en)?|artikel|seite|beitrag|protokoll|courriel|texte|correo|mensaje|texto|artículo)\b(?!\s*(?:style|format|length))[^.!?]{0,60}[:：]\s*$/iu;
export const YOURS = /\b(?:your|yours|deine?[nrms]?|eure?[nrms]?|ihre?[nrms]?|ton|ta|tes|votre|vos|tus?)\b/iu;

/** A speaker that is a role in a chat with a model. */
export const ROLE =
  /^[*_#\s]{0,5}(?:system|user|assistant|human|ai|bot|tool|developer|chatgpt|claude|gemini|copilot)(?: (?:message|prompt|note|notice|result|output))?[*_]{0,2}\s?:/iu;
