import type { Reading } from "./classify-reading.ts";
import { score, type Vocabulary, vocabulary } from "./classify-vocabulary.ts";

/** How a message is put: something is asked, something is wanted, something is told. `foreign`: not in English, as far as we see. */
export type Form = "question" | "request" | "statement" | "foreign";

/** Courtesies and wishes before the request itself. */
const LEAD =
  /^(?:(?:please|pls|hey|hi|hello|ok|so|and|now|then|next|also|just|quickly)\s+|(?:can|could|would|will) (?:you|u|we)\s+)+/;
const WISH =
  /^(?:i|we)(?:'d| would)? (?:need|want|like|rather|prefer|love)\b|^(?:i|we)'d\b|^(?:\w+ ){1,4}(?:needs?|should|must) (?!i\b)|^(?:help|let's|let us|time to)\b|^(?:a|an|some|five|ten|three|\d+) (?:[\w-]+ ){1,4}(?:for|about|of|to)\b/;
const ASKING = new Set(
  "what what's who whose when where which how why is are am was were do does did don't doesn't isn't aren't can could should would will has have any".split(
    " ",
  ),
);
const VERBS: Vocabulary<"verb"> = vocabulary({
  verb: `add adjust allow analyse analyze annotate apply archive arrange ask assign attach automate backport back_up book bring build bump buy
    calculate call cancel change check choose clean clear clone collect combine come compare compile complete compose compress compute configure
    connect continue convert copy correct count cover create cut debug decode define delete deploy describe design develop diagnose disable
    display divide document download draft drain draw drop duplicate edit enable encode encrypt ensure estimate evaluate examine execute explain
    export expose extend extract fetch fill filter find finish fix format forward free generate get give go group guess handle hash help hide highlight
    hook identify implement import improve increase initialise initialize inline insert inspect install integrate introduce invent investigate
    join keep label launch leave let limit link lint list load localise localize log look lower make mark merge migrate mock model monitor move
    mute name normalise normalize open optimise optimize order organise organize outline pack paginate parse patch paint pick plan play plot
    point polish port prepare print profile promote proofread propose protect provide provision prune publish pull purge push put query rank read
    rebase rebuild recommend record redo reduce refactor release reload remind remove rename render renew reorder repeat rephrase replace reply
    report research reserve reset resolve restart restore retry return revert review revoke rewrite ring roll rotate run save scale scan schedule
    search secure seed select send separate serve set set_up setup shorten show shut sign simplify simulate sketch skip solve sort speed spin
    split ssh start stop store stream style suggest summarise summarize support swap switch sync tag take tell test think tighten toggle track
    train transform translate trim try tune turn type uninstall unify unsubscribe update upgrade upload use validate verify vectorise walk warm
    watch wipe wire wrap write`,
});
/** Words that English text can hardly do without, and that other languages hardly have. */
const ENGLISH = new Set(
  "the a an to of and is are was my i you your our we it this that with for on in at how what why who can could should do does did not me be have has from by as there their they please it's i'm don't can't".split(
    " ",
  ),
);
const TECHNICAL: Vocabulary<"technical"> = vocabulary({
  technical: `account admin agent android api app application architecture argument array asset asynchronous asynchronously attachment authentication
    avatar aws backend backup batch binary boolean branch browser buffer bug build button byte cache callback cdn certificate checkout:1 class
    cli client click:1 cloud cluster code codebase column commit compiler component config configuration connection console constraint container
    controller cookie cpu crash css csv curl cursor dashboard data:1 database dataset debug dependency deploy deployment dialog directory disk dns
    docker docs:1 dom domain:1 download driver dropdown eager endpoint enum environment error event:1 exception export field:1 file firefox flag:1
    folder font form:1 framework frontend function gateway git github gitlab gpu graph:1 grid handler header heap hook host html http https icon
    id:1 image:1 import index input instance integration interface invoice:0.5 ios iphone java javascript job:1 json kernel keyboard kubernetes
    lambda laptop:1 layout library linter linux list:0.5 load:1 log logged login loop macos mail:0.5 markdown memory:1 menu:0.5 merge message:0.5
    method metric middleware migration mirror:0.5 mobile modal model:1 module mongodb monorepo mysql network nginx node notification npm null
    object:1 oauth offline online:1 output p99 package page:1 parameter parser password path:1 payload performance:1 permission php pip pipeline
    pixel platform:1 plugin pod port:1 postgres print:0.5 process:1 prod production:1 profile:1 program prompt:1 property:1 protocol proxy pull_request
    push:1 python query queue rails ram react redirect redis redux refactor regex registration release:1 render replica repo repository
    request:1 resolver response:1 retry role:1 route router row rust safari scheduler schema screen script scroll sdk search:0.5 security:1 server
    service:1 session:1 settings sidebar simulation socket software span sql ssh ssl stack:1 staging stdin storage stream:1 string style:0.5 submit
    subnet swift sync syntax system:0.5 tab:1 table:1 telemetry template:1 terminal terraform test thread timeout timestamp tls token toggle tooltip
    totals:1 trace tsconfig type:0.5 types:1 typescript ui unit upload upstream url user users variable version:1 vm volume:1 vpn vue web webhook
    website websocket widget wifi window:1 windows worker workflow yaml`,
});
const IDENTIFIER =
  /\b[a-z]+[A-Z]\w{0,40}\b|\b[a-z]{2,30}_\w{1,40}\b|\b[A-Z]{2,30}_[A-Z_]{1,40}\b|\b\w{1,40}\(\)|`[^`\n]{1,60}`|\b(?:[A-Z][a-z]+){2,5}\b/;

/** How the conversation opens tells it; what comes after may be anything. */
export function formOf({ words, prose }: Reading): Form {
  const known = words.filter((word) => ENGLISH.has(word)).length;
  const accented = words.filter((word) => /[^\p{ASCII}’]/u.test(word)).length;
  if (accented * 4 >= words.length || (words.length > 3 && known === 0 && score(words.slice(0, 1), VERBS).size === 0))
    return "foreign";
  const said = words.slice(0, 12).join(" ").replace(LEAD, "");
  const start = said.split(" ");
  if (WISH.test(said) || (score(start.slice(0, 2), VERBS).has("verb") && isVerbFirst(start))) return "request";
  if (ASKING.has(start[0] ?? "") || prose.trimEnd().endsWith("?")) return "question";
  return "statement";
}

/** How technical it is: 0 not at all, from 2 on surely. */
export function technicality(reading: Reading): number {
  const named = IDENTIFIER.test(reading.prose) || reading.hasCode || reading.files.length > 0 ? 2 : 0;
  const errors = reading.hasError || reading.hasTrace ? 2 : 0;
  return (score(reading.words, TECHNICAL).get("technical") ?? 0) + named + errors;
}

function isVerbFirst([first = "", second = ""]: readonly string[]): boolean {
  // "Test results are …" tells, "test the results" asks.
  return score([first], VERBS).size > 0 && !first.endsWith("ed") && !first.endsWith("s") && !TELLING.has(second);
}

const TELLING = new Set("is are was were says fails results".split(" "));
