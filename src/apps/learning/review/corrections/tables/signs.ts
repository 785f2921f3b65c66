import type { PhraseTable } from "../phrase-table.ts";

/**
 * What in a sentence speaks for or against a wish that lasts, and for which kind, wherever it stands. Each class is one sign; what it weighs
 * stands in weights.ts. Short forms are written out: `do not`, `i am`, `you are`.
 */
export const SIGNS: PhraseTable = {
  // It holds from now on.
  lasting: `from now on | from now | from here on | from here | from today | from this point | from this day | from then on | going forward | going forwards | moving forward | in future | in the future
    for the future | for future | all future | any future | future reference | next time | the next time | henceforth | as of today | as of now | starting today | starting now | starting tomorrow | starting next
    effective immediately | by default | anymore | any more | ever again | any longer | no longer | in general | generally | as a rule | as a general rule | no exceptions | without exception | no exception
    without fail | permanently | for good | consistently | habit | until further notice | at all times | for any | for all | for every | the default | standing rule | standing order | standing instruction
    rule | rules | policy | remember that | respect that | stick to that | stick to it | that is how we | keep in mind | bear in mind | in mind | make a note | take note | as usual | once and for all | for the rest | throughout | across the board | in all cases
    in each case | in every case | in any case | no matter | regardless | every so often | now on | here on out | new rule | house rule | ground rule | let us agree | we agreed | our agreement`,
  always:
    "always | at any time | constantly | forever | invariably | without me having to ask | 100% | all the time | every single | each and every | each time | every time | everytime | whenever",
  never:
    "never | not ever | under no circumstances | on no account | in no case | at no point | not once | never ever | by no means",
  each: "every | each | all | any | anything | everything | anyone | anybody | both | per",
  calendar: `every day | every morning | every evening | every week | every month | every monday | every tuesday | every wednesday | every thursday | every friday | every saturday | every sunday | every quarter | every night
    daily | weekly | monthly | each day | each week | each morning | each month | on mondays | on fridays | on weekends | at night | on sundays | at the end of the day | on weekdays | after hours`,
  // It was said before.
  again: `again | once more | yet again | i told you | i have told you | i said | i have said | i already | i have already | i asked you | i have asked | i asked for | how many times | how often do i | for the last time
    for the second time | for the third time | for the hundredth time | second time | third time | fourth time | umpteenth time | as i said | like i said | as i mentioned | as mentioned | keep having to | i keep telling | i keep asking
    i keep saying | keep telling you | keep asking you | have to keep | do i have to | did i not | have i not | i thought i | i thought we | we agreed | we talked | we discussed | we have been over | reminder
    i repeat | i must repeat | repeatedly | i mentioned | been over this | still | same mistake | same thing | i had to | i have to ask | having to ask | having to tell | having to remind | again and again | over and over
    asked you before | told you before | said before | said this before | twice now | times now | not the first time`,
  // It holds only now, or for one thing.
  once: `for now | right now | today | tonight | tomorrow | yesterday | this time | this once | just once | just this once | this morning | this afternoon | this evening | this week | this month | this year | this weekend
    next week | next month | on monday | on tuesday | on wednesday | on thursday | on friday | on saturday | on sunday | at the moment | for the moment | for a moment | for a minute | for a second | for a sec | for a while | for a bit
    until tomorrow | until monday | until friday | until then | until we | until it | in the meantime | meanwhile | temporarily | currently | so far | just now | yet | by friday | by monday | by tomorrow | by tonight | by noon | by five
    last week | last year | last month | last night | this one | that one | at nine | at three | at five | at noon | at ten | in an hour | an hour ago | o'clock | before lunch | after lunch | a minute
    at # am | at # pm | # am | # pm | at # | by # | # minutes | # hours | this file | this case | the second one`,
  pointed: `this | these | those`,
  the: "the",
  ordinal:
    "the first | the second | the third | the fourth | the fifth | the last | the next | the previous | the other | the latest | the rest | the top | the left | the right | another one | one more | second one | first one | line # | row # | page # | chapter # | slide # | step # | item # | section # | question # | order # | pr # | ticket # | version # | point # | part # | option # | number #",
  // Who is spoken to, and of whom.
  you: "you | yourself",
  your: "your | yours",
  me: "me | us | my | mine",
  from_you:
    "from you | you write | you send | you make | you use | you give | you post | you create | you add | you produce | you generate | you wrote | you sent | you made | you are doing | you do | when you | the way you | if you | how you | that you",
  third: `he | she | they | him | her | his | hers | their | them | people | everyone | everybody | someone | somebody | nobody | users | customers | the customer | the client | clients | the user | the team | my boss | my manager | our boss | my colleague
    my wife | my husband | my mother | my father | my sister | my brother | my son | my daughter | my kids | my friend | my teacher | my doctor | the doctor | the intern | our intern | the vendor | our vendor | the supplier | marketing | finance
    management | the boss | the manager | colleagues | students | parents | patients | neighbours | the teacher | my team | our team | folks | guys | my students | legal | support | sales`,
  product: `in json | in yaml | in html | in css | in sql | in xml | in python | in rust | in java | in javascript | in git | in docker | in excel | in postgres | in jira
    our app | the app | our bot | the bot | our chatbot | the chatbot | the website | our website | our site | the site | the page | the form | the button | the api | the parser | the function | the server | the product | our product
    the dashboard | the system | the tool | the newsletter | our newsletter | our docs | our users | our customers | the service | the endpoint | the printer | the module | the field | the header | the footer | the login | the library
    the compiler | the model | the plugin | the program | the checkout | the export | the import | endpoints | the game | the machine | the car | the train | the house`,
  reported: `said | says | told me | tells me | told us | wrote | writes | asked me | asked us | according to | wants me | wants us | complains | complained | insists | insisted | suggested that | recommends | recommended | states | stated | reads
    was told | were told | it says | quote | quotes | saying goes | as they say | tells the | told him | told her | told them | told the | i told my | prefers | thinks | wants | wanted | warned | advised | mentioned that | argues | claims`,
  // Not meant, only thought of, or meant otherwise.
  hypothetical: `if i | if we | if they | if he | if she | if someone | if somebody | what if | suppose | supposing | imagine | assuming | assume you | let us say | pretend you | in theory | hypothetically | wonder | wondering | i might
    maybe one day | one day | some day | someday | i may | would it | would anyone | would you rather | thinking about whether | thinking whether | was thinking | curious | not sure if | not sure whether | maybe i should | perhaps i should | at some point`,
  unmeant: `never mind | nevermind | i am not saying | i am not asking | i am not telling | not saying | not asking you | do not worry | no worries | feel free | just kidding | joking | jk | forget it | forget that | it is not that
    not that i | i did not say | i do not mean | i do not mind | do not mind | is fine | was fine | all good | no problem | you never know | you can never | is not necessary | not too long | not too | i only asked | on my account`,
  sarcastic:
    "oh great | oh sure | oh wow | oh yeah | oh joy | oh good | oh nice | oh lovely | yeah right | yeah sure | sure because | great another | thanks a lot for | thanks for nothing | just what i needed | how nice | bravo | slow clap",
  narrated: `i was | i did | i had | i got | i went | i used to | i have been | i have a | we were | we had | we did | we got | we used to | used to | i never got | i never liked | i stopped | i started | we stopped | we started | i have started | i have stopped | i usually
    i always | i keep | we keep | i forgot | i will | i am going | we will | i need a | i have to | i want to | i want a | we want | we need | i would like to | i can not | i am on | i think | i guess | we should | i should | it was | there was | there were | it is raining | ago`,
  // Courtesy and hedges.
  please:
    "please | kindly | thanks | thank you | if possible | if you can | if you could | would be great | would be nice | would be good | would help | would be better | would be helpful | would be appreciated | be so kind",
  hedged: "maybe | perhaps | possibly | i guess | might | i suppose | up to you | if you want | kind of | sort of",
  // Which way.
  stop: `stop | quit | cease | halt the | enough with | enough of | enough already | no more | drop the | skip the | skip all | cut the | cut out | lose the | ditch the | ditch | spare me | spare us | leave out | leaving out | leave them out | leave it out
    leave that out | leave those out | leave alone | refrain | abstain | avoid | steer clear | hands off | stay away | stay out | keep out | keep away | off limits | off the table | forbidden | prohibited | banned | taboo | not allowed | not permitted
    unacceptable | not acceptable | not okay | not ok | out of bounds | no go | a no | not an option | knock it off | cut it out | give it a rest | lay off | hold off | get rid of | do away with | not welcome | not wanted | stopped ~ing | stop it | stop that
    kill the | nix | scrap the | omit | remove the | strip the | can do without | could do without | can live without | keep your | to yourself | banish | retire the`,
  alone:
    "leave _ alone | leave _ _ alone | leave _ _ _ alone | leave _ out | left _ out | left _ _ out | leave _ _ out | leave _ _ _ out | keep _ out of | keep _ _ out of | hands off",
  not: "not | nothing | nobody | none | nor | neither | without",
  no: "no | zero",
  dont: "do not | did not | must not | should not | may not | shall not | not to | please not | rather not | rather you did not | can not just | better not | are not to | not supposed to | ought not | will not",
  unasked: `without asking | without my | without telling | without checking | without a | without permission | without approval | without being asked | without confirmation | without me | without confirming | without warning | without an | unless i | until i | unless asked | unless told
    behind my back | on your own | by yourself | on my behalf | i did not ask | i never asked | not asked for | did not ask for | unsolicited | uninvited | unprompted | of your own | unless it is | unless there is | unless you | just because`,
  no_need:
    "no need | do not need | need not | do not have to | no reason to | no point | not necessary | unnecessary | unneeded | not needed | pointless | useless | redundant | superfluous | adds nothing | add nothing | does not add | do not add | serves no | no value | waste of | overkill",
  dislike: `hate | dislike | can not stand | not a fan | not fond | not keen | do not like | do not love | do not want | do not appreciate | do not care for | do not enjoy | tired of | sick of | fed up | annoying | annoys | annoyed | annoy | bothers | bother | bugs me | irritating | irritates
    irritate | distracting | distracts | distract | confusing | confuses | confuse | frustrating | frustrates | drives me | driving me | on my nerves | my nerves | unprofessional | patronising | patronizing | condescending | weird | creepy | rude | off putting | makes me | puts me off
    rather not | rather you did not | would rather not | prefer not | prefer you did not | no use for | not helpful | unhelpful | does not help | do not help | wastes | waste my | grates | tiresome | exhausting | tedious | painful | sloppy | embarrassing | not interested
    burned | bad habit | nobody reads | nobody needs | nobody asked | not what i | the opposite of | hard to read | hard to follow | can not read | can not follow | get lost | lose the thread | struggle | have trouble | skip over | i skip | a pain | mind when`,
  keeps:
    "you keep | you are always | you always | you constantly | you insist | you continue | you are constantly | you never stop | do you keep | you still | keeps ~ing | you love to | you tend to | tend to | you are still | are you still | do you always | must you | do you insist | you have been",
  forgets:
    "you forgot | you forget | forgetting to | forget to | keep forgetting | you missed | you left out | you skipped | you failed | you omitted",
  not_done:
    "you never | you did not | you have not | you rarely | you hardly | you do not | you should have | you could have | why did not you | did not you | you have never",
  // How much.
  too: "too | overly | excessively | unnecessarily | needlessly | ridiculously | insanely | absurdly | way more than | more than needed | more than necessary | more than i need | over the top",
  not_every: "not every | not everything | not each | not all",
  too_many:
    "too many | too much | so many | so much | that many | that much | as many | as much | a lot of | lots of | tons of | loads of | wall of text | walls of text | a novel | an essay | a mountain of | a flood of | an avalanche | all these | all those | all that | half of what | pages of | a ton of | endless",
  excess: `wordy | verbose | long winded | lengthy | chatty | repetitive | noisy | pushy | flowery | salesy | bloated | rambling | excessive | overwhelming | preachy | cluttered | overkill | formal | dramatic | apologetic | enthusiastic | cautious | aggressive | eager | long | technical
    complicated | complex | detailed | frequent | frequently | often | over explain | overexplain | over engineer | overengineer | over complicate | overcomplicate | overthink | over apologise | over apologize | over comment | over format | over think | overdo | overuse | big | large | dense | stiff | loud`,
  lacking: `short | brief | terse | curt | cold | vague | generic | abstract | shallow | superficial | sloppy | careless | sparse | thin | high level | rare | rarely | infrequent | quiet | slow | passive | timid | unclear | dry | hasty | blunt | cryptic | bare | lazy | harsh | soft | weak | uncritical | agreeable`,
  less: "less | fewer | shorter | briefer | smaller | simpler | quieter | calmer | leaner | lighter | terser | crisper | tighter | slower | drier | half the length | half as | half of it",
  brief:
    "brief | briefly | concise | concisely | succinct | succinctly | short | terse | to the point | crisp | snappy | compact | simple | tldr | tl dr | in short | short version | minimal | bare minimum | keep it short | one line | one liner | in a nutshell | gist | a minimum",
  reduce: `tone down | tone it down | tone that down | dial back | dial down | dial it back | dial it down | cut down | cut back | cut it down | cut that down | ease up | ease off | go easy | go light | reduce | limit | minimise | minimize | scale back | scale down | scale it back | turn down | take it easy | hold back | sparing
    sparingly | lighten up | slow down | back off | rein in | cool it | trim | trim down | shorten | condense | tighten | tighten up | simplify | slim down | streamline | rein it in | keep it to | stick to one | cap | compress | boil down | pare down | calm down | chill | chill with | tame | as little | as few | as short as
    get to the point | come to the point | be brief | be concise | keep it brief | stick to the point | take it down a notch | cut to the chase`,
  bound:
    "at most | no more than | max | maximum | not more than | a maximum of | under | below | within | up to | is enough | are enough | is plenty | are plenty | suffices | suffice | sufficient | will do | would do | be enough | be plenty | is fine | are fine | enough for | plenty | one page | two lines | a page | one sentence | two sentences | three sentences | three lines | one paragraph | a sentence | a paragraph | a line | only need | only want | just need | just the",
  more: "more | longer | deeper | clearer | friendlier | nicer | warmer | stricter | bolder | kinder | sharper | richer | fuller | politer | quicker | faster | better | harsher | tougher | louder | broader | earlier | sooner | a lot more | a bit more | more of",
  more_often:
    "more often | more frequently | more regularly | more carefully | more thoroughly | more closely | more clearly | more explicitly | more care | more detail | more details | more context | more examples | more careful | more specific | more thorough | more explicit | more proactive | more patient | more direct | more honest | more critical",
  more_brief:
    "more concise | more concisely | more brief | more briefly | more succinct | more succinctly | more compact | more to the point | more selective | more economical | more sparing | more sparingly | more restrained | more relaxed | more casual | more informal",
  little:
    "not enough | not _ enough | not _ _ enough | hardly any | barely any | too little | too few | lack | lacks | lacking | is missing | are missing | could use | could do with | needs more | need more | not nearly | rarely | expand | elaborate | go deeper | go into | flesh out | dig deeper | double down | beef up | step up",
  // Praise and what is to stay.
  praise: `great | good | nice | perfect | helpful | useful | brilliant | excellent | amazing | fantastic | wonderful | awesome | lovely | handy | spot on | super | exactly right | exactly what | just right | gold | works well | work well | works for me | works great | well done
    love | loved | appreciate | enjoy | enjoyed | glad | grateful | happy | pleased | adore | big fan | kudos | props | thanks for | thank you for | helps | a lifesaver | so much better | much better | ideal | gentle | saves me | saved me | big help | makes my | makes it easy | impressed | the best | fan of
    i like | we like | i liked`,
  keep: `keep it up | keep that up | keep this up | keep up | keep doing | keep it | keep that | keep them | keep those | keep these | keep ~ing | keep on | keep the | keep this | keep your | keep going | carry on | continue | stay with | stay that way | stay like | stay this | stay as | stick with | stick to | do not change | never change | do not lose | do not stop | do not ever stop
    never stop | more of that | more of those | more of this | more like that | more like this | like that every time | like this every time | do that every time | do this every time | do it like that | do it like this | exactly like this | exactly like that | just like that | just like this | always do that | always do this | always do it like | keep them coming | keep those coming | hold on to | hang on to
    please do that | do that again | do this again | do it again | the same way | same again | that way | this way | leave it like | leave it that way | as it is | as they are | going like | remain | maintain | preserve`,
  like_that:
    "like that you | like how you | love that you | love how you | like the way you | love the way you | appreciate that you | appreciate how you | appreciate you | glad you | glad that you | good that you | nice that you | great that you | happy that you | like it when you | love it when you | like when you | love when you | helps when you | helps me when you | helps a lot when you | thanks for always | thank you for always | like your | love your | appreciate your | like the | love the | enjoy the | enjoy your",
  such: "like this | like that | this way | that way | the way you did | as you did | like you did | as it is now | as before",
  // How it is to be done.
  instead: "instead of | rather than | instead | over | as opposed to | in place of",
  but_not: ", not | and not | but not | not just | not only",
  condition: `before you | before any | before each | before every | before a | before an | before ~ing | before anything | before making | prior to | when you | when i | when it | when there | when something | when a | when in doubt | while you | while i | after you | after each | after every | after any | once you | as soon as | as soon as you
    if you are | if you do not | if you can not | if you have | if you find | if anything | if something | if a | if there | if in doubt | if it is | if unsure | unless | until | in case | in doubt | the moment | the minute | the first time | the second you | upon | during`,
  first:
    "first | beforehand | up front | upfront | in advance | ahead of time | at the top | at the beginning | at the end | before anything else | up top | right away | immediately | straight away | at once | proactively | automatically",
  should: `should | must | have to | need to | needs to | has to | ought to | supposed to | expected to | are to | is to | shall | required | mandatory
    needs | goes | belongs | belong | comes | has`,
  want: "i want | i would like | i need | i prefer | i would prefer | i would rather | i expect | i would appreciate | i would love | i wish | i insist | i like | we prefer | we use | we do not | we always | we never | we want | my preference | preferred | prefer | rather | would be great if | would be nice if | would be good if | would help if | would be better if | would appreciate | expect you | want you | need you | like you to | ask you to",
  to_me:
    "to me | with me | for me | tell me | show me | ask me | let me | give me | send me | call me | remind me | warn me | notify me | inform me | ping me | check with me | run it by | by me | my approval | my okay | my ok | my go | my permission | my consent | sign off | keep me posted | keep me | copy me | cc me",
  ensure:
    "make sure | be sure | ensure | remember to | do not forget | never forget | try to | try and | take care | see to it | start ~ing | begin ~ing | begin to | start to | get used to | get into the | make it a | stick to | default to | adhere | follow | respect | honour | honor | observe | mind the | mind my | pay attention | watch out | be careful",
  how: "in english | in german | in french | in spanish | in dutch | in italian | in portuguese | in polish | in japanese | in chinese | in plain | in bold | in uppercase | in lowercase | in capitals | in markdown | in a table | in tables | in prose | in full | in writing | in my language | in metric | in euros | in euro | in dollars | in utc | in iso | in bullet | in bullets | in one | in two | in three | as a table | as a list | as bullet | as bullets | by name | by mail | in caps | in brackets | in order | in small | in short | in simple | in layman",
  style: `british | american | european | us english | uk english | iso | metric | imperial | plain text | plain english | celsius | fahrenheit | snake case | camel case | kebab case | sentence case | title case | lowercase | lower case | uppercase | active voice | passive voice | present tense | past tense | 24 hour | 24h | bullet points | oxford comma | single quotes | double quotes | tabs
    two spaces | four spaces | first person | second person | third person | first name | first names | last names | formal | informal | full sentences | complete sentences | plain language | layman | local time | utc | decimals | markdown | tables | euros | kilometres | kilometers | spelling | pronouns | tone | wording | language | format`,
};
