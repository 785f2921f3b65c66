import { phrases, together } from "./phrases.ts";

/** What an agent says and how: nouns that need no `your` to be about the agent. */
export const SPEECH = together(
  phrases(
    `answer response message update recap explanation report emoji smiley bullet bullet_point disclaimer caveat question commit_message heading headline
    greeting sign_off signature exclamation exclamation_mark exclamation_point hashtag buzzword abbreviation acronym ping notification reminder heartbeat
    check_in follow_up confirmation warning screenshot citation footnote compliment joke pun monologue essay paragraph preamble intro introduction outro
    assumption repetition digest briefing overview status_update status_report status_message progress_update progress_report handoff gif meme alert post
    nudge interruption pep_talk lecture platitude superlative adjective adverb dash semicolon quote anecdote analogy metaphor rant tangent suggestion option
    confirmation_prompt permission_prompt closing_remark closing_line opening_line comment code_block code_sample changelog email hedge qualifier assurance
    remark aside recommendation explainer diagram chart visual rundown walkthrough estimate rationale example source link note bullet_list numbered_list
    standup reference nickname one_liner opinion checklist codename spoiler em_dash platitude rhetorical_question table_of_contents pronoun contraction passive_sentence idiom`,
    "plural",
  ),
  phrases(
    `reply replies summary summaries apology apologies pleasantry pleasantries guess guesses small_talk filler fluff chit_chat chitchat flattery praise enthusiasm
    sarcasm humor humour status progress ellipsis jargon slang lingo tone tone_of_voice wording phrasing formatting markdown bold bold_text italics caps
    all_caps capital_letters detail details context reasoning verbosity hedging rambling guessing hand_holding noise chatter narration commentary padding
    boilerplate marketing marketing_language marketing_speak marketing_talk corporate_speak politeness formality urgency drama excitement cheerfulness
    wall_of_text walls_of_text cursing swearing transparency second_guessing self_praise preachiness background step_by_step technical_terms fancy_words
    advice hype excitement optimism substance dashes em_dashes legalese prose evidence pushback initiative caution structure theory cliche cliches backstory visibility honesty patience empathy rigor rigour
    discipline ownership tact candor candour curiosity variety attention self_confidence`,
  ),
);

/** What an agent makes: about the agent only with `your`. */
export const WORK = together(
  phrases(
    `function test variable_name plan patch change commit diff branch_name draft mail design review pr pull_request code_review script doc log edit list table
    title name translation sentence word choice write_up writeup proposal step release_note docstring error_report bug_report test_plan snippet solution
    exception_handler dependency image refactoring bug_fix bugfix fix feature deploy deployment release migration preview mockup result finding output text presentation slide image check description pr_description report paragraph`,
    "plural",
  ),
  phrases(
    `code query queries branch branches patches search searches analysis analyses placeholder_text approach approaches english german research spelling grammar voice pace speed
    attitude behavior behaviour manner style language work communication writing feedback logging naming`,
  ),
);

/** How somebody talks: a matter of habit more than a task. */
export const TALK_VERBS = phrases(
  `apologise apologize guess assume explain repeat restate summarise summarize recap thank greet ping notify remind hedge ramble speculate lecture congratulate
  address call reply answer respond mention cite quote speak talk abbreviate ask tell warn alert inform message bother nag interrupt flatter praise exaggerate
  sugar_coat over_explain overexplain over_complicate overcomplicate over_engineer overthink babble curse swear joke preach moralise moralize patronise
  patronize second_guess double_check confirm clarify say pretend lie invent make_up hallucinate fabricate sound act behave narrate announce acknowledge echo
  paraphrase argue push_back challenge admit spell capitalise capitalize mock tease credit let_me_know keep_me_posted rant complain whine quibble nitpick yell
  shout waffle digress point_out flag highlight sugarcoat bombard spam flood overwhelm pester harass contact disturb cc`,
);
/** What is done in every message, or in none. */
export const STYLE_VERBS = phrases(
  `use write phrase format send post start begin end finish open close sign include add give provide show leave wait stick refer check verify list propose
  suggest offer report state note mix switch consult round put insert append prefix attach link create make keep`,
);

/** What is written one way or another, whatever the task. */
export const CONVENTION = together(
  phrases(
    `date time timestamp number figure price amount unit currency temperature distance name title heading headline quote import variable function_name indent
    type_hint hint measurement clock format address font color colour column_name branch_name commit_message comment subject_line label deadline citation`,
    "plural",
  ),
  phrases(
    "currencies spelling punctuation indentation capitalisation capitalization english german french spanish quotation_marks typescript markdown",
  ),
);

/** Which way: a word for how something is written. */
export const MANNERS = phrases(
  `british american european us uk iso metric imperial plain_text plain_english markdown html json csv celsius fahrenheit euro euros dollars kilometers
  kilometres miles tabs spaces snake_case camel_case kebab_case lowercase lower_case uppercase sentence_case title_case plain simple formal informal
  active_voice passive_voice present_tense past_tense short full complete first_names last_names 24_hour bullet_points bullets tables prose lists
  single_quotes double_quotes oxford_comma sans_serif typescript english german french spanish dutch italian`,
);

/** Doing these is a habit by what they say. */
export const HABIT_VERBS = phrases(
  "prefer favor favour adhere default_to stick_to refrain treat respect honor honour prioritise prioritize",
);

/** Things that are always the same ones: `the tests` is no particular thing. */
export const HABITUAL = phrases(
  `test tests test_suite unit_tests linter type_checker type_checks formatter docs documentation changelog readme diff build ci lockfile result results outcome
  user users numbers facts sources plan risk risks reason reason reasons conclusion answer point bottom_line short_version code console logs database db prod
  production main main_branch master repo environment calendar time_zone timezone units subject_line ticket ticket_number issue_number budget cost costs step
  steps option options changes file_name file_names line_number line_numbers path paths file_paths name names spelling existing_code style_guide conventions
  basics obvious background essentials requirements file files config same last first next beginning start end top bottom habit language`,
);

/** Wanting less of it is what `too …` says, but for these, of which there is too little. */
export const LACKING: ReadonlyMap<string, string> = new Map([
  ["short", "detailed"],
  ["brief", "detailed"],
  ["terse", "detailed"],
  ["concise", "detailed"],
  ["curt", "friendly"],
  ["cold", "friendly"],
  ["vague", "specific"],
  ["generic", "specific"],
  ["abstract", "concrete"],
  ["shallow", "thorough"],
  ["superficial", "thorough"],
  ["sloppy", "careful"],
  ["careless", "careful"],
  ["sparse", "detailed"],
  ["thin", "detailed"],
  ["high-level", "detailed"],
  ["rare", "frequent"],
  ["infrequent", "frequent"],
  ["quiet", "frequent"],
  ["slow", "quick"],
  ["passive", "proactive"],
  ["timid", "direct"],
  ["unclear", "clear"],
]);

/** What somebody has too much of who asks to be or to have this. */
export const SHRINKING: ReadonlyMap<string, string> = new Map([
  ["short", "long"],
  ["shorter", "long"],
  ["brief", "long"],
  ["briefer", "long"],
  ["concise", "long"],
  ["succinct", "long"],
  ["terse", "wordy"],
  ["terser", "wordy"],
  ["compact", "long"],
  ["crisp", "long"],
  ["crisper", "long"],
  ["snappy", "long"],
  ["snappier", "long"],
  ["tight", "long"],
  ["tighter", "long"],
  ["economical", "long"],
  ["to the point", "long-winded"],
  ["simple", "complicated"],
  ["simpler", "complicated"],
  ["small", "large"],
  ["smaller", "large"],
  ["quiet", "noisy"],
  ["quieter", "noisy"],
  ["calm", "excited"],
  ["calmer", "excited"],
  ["leaner", "bloated"],
  ["lighter", "heavy"],
  ["drier", "flowery"],
  ["slower", "hasty"],
]);

/** Comparatives of one word of which more is wanted. */
export const GROWING: ReadonlyMap<string, string> = new Map([
  ["longer", "long"],
  ["deeper", "deep"],
  ["clearer", "clear"],
  ["friendlier", "friendly"],
  ["nicer", "nice"],
  ["warmer", "warm"],
  ["stricter", "strict"],
  ["bolder", "bold"],
  ["kinder", "kind"],
  ["sharper", "sharp"],
  ["richer", "rich"],
  ["fuller", "full"],
  ["politer", "polite"],
  ["quicker", "quick"],
  ["faster", "fast"],
  ["better", "good"],
  ["harsher", "harsh"],
  ["tougher", "tough"],
]);

/** How much: `a bit`, `way`, `far`, any number of them. */
export const GRADED =
  "(?:(?:way|far|much|some|a|bit|little|tad|lot|touch|somewhat|slightly|even|just|really|so|quite|rather|kind|of|kinda|sort|always|often|usually|generally|sometimes|frequently|getting|becoming) ){0,5}";
