import type { SessionTopic } from "../../base/words/classification.ts";
import { extensionOf, type Reading } from "./classify-reading.ts";
import { score, type Vocabulary, vocabulary } from "./classify-vocabulary.ts";

/** Below it nothing was said that we understand. */
const ENOUGH = 2;
const SMALL_TALK_WORDS = 8;

/** Of equal scores the earlier one wins: what is broken is looked at before it is extended. */
const ORDER: readonly SessionTopic[] = [
  "debugging",
  "ops",
  "config",
  "creative",
  "other",
  "coding",
  "research",
  "conversation",
];

const SPOKEN: Vocabulary<SessionTopic> = vocabulary({
  coding: `function:3 method:2 class:2 component:3 endpoint:3 module:2 library:2 package:1 refactor:4 implement:4 code:2
    codebase:3 script:3 test:2 unit_test:3 tests_for:2 variable:3 typo:3 rename:3 parser:3 algorithm:3 regex:2 regexp:2 api:1 sql:3
    query:2 migration:2 migrate:2 typescript:2 javascript:2 python:2 rust:2 golang:2 java:2 c++:2 kotlin:2 swift:2 swiftui:3 flutter:3
    react:2 vue:2 svelte:2 angular:2 django:2 rails:2 express:1 pytorch:2 pandas:2 bert:2 dataset:2 train:1 fine-tune:2 numpy:2 app:1
    feature:2 button:2 screen:1 toggle:2 loop:2 async:2 callback:2 generics:2 interface:1 rewrite:2 port_this:3 optimise:2 optimize:2
    readme:3 document:1 docstring:3 diff:3 pull_request:3 review:1 add:1 build:1 create:1 write:1 convert:1 login:1 oauth:2 hash:1
    pagination:3 architect:4 from_scratch:2 design:1 service:1 microservice:2 distributed:1 queue:1 parse:2 schema:1 model:1 widget:2 navbar:2 css:2
    html:2 cli:2 sdk:2 type:1 struct:3 enum:3 algorithmic:2 data_structure:3 linked_list:3 binary_tree:3 compiler:2 lint:1 plugin:2
    scheduler:2 router:1 store:1 middleware:3 webhook:2 graphql:2 backend:2 frontend:2 o:1`,
  debugging: `error:3 exception:4 crash:4 bug:4 fail:4 failure:3 broken:4 broke:3 break:2 traceback:5 segfault:5 segmentation_fault:5
    stack_trace:4 hang:3 freeze:3 leak:4 memory_leak:5 deadlock:3 race_condition:5 timeout:2 times_out:3 time_out:3 timed_out:3
    undefined:2 not_working:5 doesn't_work:5 don't_work:5 does_not_work:5 isn't_working:5 stopped_working:5 won't_start:5 won't:1
    what's_wrong:4 what_is_wrong:4 goes_wrong:4 wrong:2 reproduce:3 intermittent:3 intermittently:3 debug:3 regression:3 slow:2
    blank_screen:3 exit_code:3 exits_with:4 with_code:2 returns_500:4 panic:3 unexpected:2 unexpectedly:2 out_of_memory:4 endlessly:3
    infinite_loop:4 unable_to:3 instead_of:2 not_matching:4 keeps:1 flaky:3 skip:1 track_it_down:3 find_out_why:4 but_got:3
    corrupted:3 core_dump:4 heap_dump:4 null_pointer:4 got_slow:3 no_longer:2 troubleshoot:4 root_cause:4 misbehave:3 since_the_last:2
    after_upgrading:3 since_i_upgraded:3`,
  config: `config:4 configure:4 configuration:4 setting:4 set:1 set_the:2 enable:3 disable:3 turn_off:4 turn_on:3 switch_off:3 change:1
    change_the:1 default:1 environment_variable:4 env:3 dotfile:4 eslint:3 prettier:3 tsconfig:3 webpack:2 vite:1 editorconfig:4
    neovim:3 vim:2 tmux:3 vscode:2 vs_code:3 indentation:3 tab_width:4 keybinding:3 shortcut:2 timezone:2 time_zone:2 log_level:4
    git_config:4 ssh_config:5 port:1 telemetry:3 notification:2 gitignore:3 preference:4 alias:2 lsp:3 option:1 profile:1 theme:2
    api_key:2 proxy:2 locale:2`,
  ops: `deploy:4 deployment:3 rollout:4 roll_out:4 rollback:4 roll_back:4 release:2 production:2 staging:3 server:3 cluster:3
    kubernetes:3 kubectl:4 k8s:3 pod:2 docker:2 container:2 terraform:3 ansible:3 helm:3 aws:3 gcp:3 azure:3 heroku:3 ecs:2 rds:2 s3:2
    nginx:3 restart:4 reboot:4 scale:3 replica:3 backup:4 back_up:3 restore:3 outage:6 incident:5 on-call:3 monitoring:4 monitor:3
    prometheus:3 grafana:3 alert:3 alerting:3 disk:3 cpu:2 ci:2 pipeline:3 github_actions:4 gitlab:3 jenkins:3 certificate:4 tls:2
    dns:3 firewall:4 load_balancer:3 vpn:2 ssh:3 ssh_into:4 tail:2 access_log:3 log:1 prune:3 provision:4 infrastructure:4
    autoscaling:3 cron:3 nightly:3 health_check:3 health_endpoint:3 uptime:4 volume:1 image:1 registry:2 canary:4 drop:2
    database:1 is_up:2 is_down:4 free_up:3 memory_is_free:3 systemctl:4 node_group:3 downtime:3 failover:2 renew:2 downtimes:3 host:1
    503:2 traffic:2 sre:3 runbook:4 patch:1 upgrade_the:1`,
  research: `compare:5 comparison:5 difference_between:5 differ:3 explain:4 what_is:2 what's:1 what_are:3 how_does:3 how_do:2 who:2
    when_did:4 when_was:4 in_which_year:4 which:1 summarize:5 summarise:5 summary:4 overview:3 paper:3 study:3 literature:4
    literature_review:5 research:4 find:1 look_up:4 source:2 report:2 article:3 pros_and_cons:6 advantage:4 disadvantage:4 market:2
    market_analysis:5 analysis:2 history:2 invent:3 capital_of:4 according_to:2 theorem:2 recent:1 learn_about:3 tell_me_about:3
    investigate:2 survey:3 trade-off:4 tradeoff:4 best_practice:3 state_of_the:3 claims:2 findings:3 evidence:2 forecast:2 statistics:3
    alternatives_to:4 how_many:2 how_long:2 why_do:3 why_is_the:2 insurance:2 law:2 concept:3 theory:3`,
  conversation: `how_are_you:6 how's_it_going:6 how_is_it:2 thank_you:5 who_are_you:6 your_name:6 what_can_you:6 nice_to_meet:6
    chat:3 talk:2 need_to_talk:4 just_talk:4 lonely:5 i_feel:4 feel:2 my_day:3 terrible_day:5 bad_day:5 great_day:5 unhappy:4
    should_i:3 do_you_think:4 about_yourself:6 something_interesting:3 i'm_sad:4 i'm_bored:5 bored:4 how_was_your:5 are_you_a:4
    do_you_like:4 your_favorite:5 your_favourite:5 my_boss:2 my_girlfriend:3 my_boyfriend:3 my_wife:2 my_husband:2 stressed:4 anxious:4
    happy_birthday:4 congratulations:4 i_love_you:5 miss_you:4 weekend:2`,
  creative: `haiku:6 poem:6 poetry:6 story:5 short_story:5 novel:6 lyrics:6 song:5 slogan:6 limerick:6 joke:5 speech:5 tagline:6
    character:3 villain:5 protagonist:5 chapter:5 fiction:5 fantasy:3 bedtime:3 brainstorm:5 name_ideas:6 names_for:4 name_for:4
    title:2 compose:4 make_up:3 come_up_with:4 creative:4 essay:3 screenplay:6 rap:5 verse:4 rhyme:5 blog_post:3 imagine:3 draw:4
    logo:4 funny:2 wedding:2 write:1 draft:1 sonnet:6 ballad:6 fairy_tale:6 dialogue:3 worldbuilding:5 caption:4 jingle:6 toast:2
    plot_twist:5 greeting_card:5 birthday:1 monologue:5`,
  other: `translate:7 translation:6 remind:7 reminder:6 recipe:6 cook:6 dinner:4 meal:4 shopping:3 shopping_list:5 book_a:6 proofread:7
    e-mail:1 email:1 paragraph:3 more_formal:4 more_polite:4 polite:2 percent:2 mile:3 kilometre:3 kilometer:3 calculate:4
    schedule_a_meeting:7 meeting:3 meeting_with:2 calendar:5 appointment:5 restaurant:5 flight:5 hotel:5 travel:3 trip:4 itinerary:5
    currency:3 celsius:4 fahrenheit:4 extract:3 sort_it:3 spreadsheet:2 rephrase:5 spell:3 grammar:4 reword:5 invoice:3 todo_list:3
    to-do_list:3 phone_number:3 date_of_birth:3 how_much_is:3 square_root:4 packing:4 workout:1 diet:4 in_french:3 into_french:5
    into_german:5 into_english:5 in_spanish:3 to_spanish:4 sounds:1`,
});

const GREETING: Vocabulary<"greeting"> = vocabulary({
  greeting: `hi hello hey heya howdy yo good_morning good_evening good_night good_afternoon thanks thank_you thx cheers bye goodbye
    see_you lol haha ok okay cool great nice perfect awesome wow yes no sure sorry hmm welcome`,
});

const CODE_FILES = new Set(
  "ts tsx js jsx mjs cjs py rb go rs c h cc cpp hpp cs java kt swift php scala ex exs vue svelte css scss html sql sh lua dart".split(
    " ",
  ),
);
const CONFIG_FILES = new Set(
  "yaml yml toml ini conf cfg json env zshrc bashrc vimrc gitconfig gitignore editorconfig npmrc eslintrc prettierrc plist properties".split(
    " ",
  ),
);
const ARITHMETIC = /\d ?% of \d|\d ?[-+*/×÷^] ?\d{1,12} ?(?:=|\?|$)|\bsquare root\b/m;
const OPS_COMMAND =
  /^\s{0,4}(?:\$ )?(?:kubectl|helm|docker|docker-compose|systemctl|journalctl|ssh|scp|terraform|ansible|aws|gcloud|df|top|ps)\s/m;

/** The topic that most speaks for. What is not understood is small talk when it is short, else `other`. */
export function classifyTopic(reading: Reading): SessionTopic {
  const scores = score(reading.words, SPOKEN);
  const add = (topic: SessionTopic, weight: number): void => {
    scores.set(topic, (scores.get(topic) ?? 0) + weight);
  };
  const short = reading.words.length <= SMALL_TALK_WORDS;
  if (score(reading.words, GREETING).size > 0) add("conversation", short ? 3 : 0.5);
  if (reading.hasTrace) add("debugging", 7);
  if (reading.hasError) add("debugging", 5);
  if (reading.hasCode) add("coding", 2.5);
  if (OPS_COMMAND.test(reading.prose)) add("ops", 4);
  if (ARITHMETIC.test(reading.prose)) add("other", 5);
  const extensions = reading.files.map(extensionOf);
  if (extensions.some((extension) => CODE_FILES.has(extension))) add("coding", 2);
  if (extensions.some((extension) => CONFIG_FILES.has(extension))) add("config", 2.5);
  weighQuestion(reading.words, add);
  return strongest(scores) ?? (short ? "conversation" : "other");
}

/** "Why does my loop skip …" is about something that is there; "why do stars …" is not. */
function weighQuestion(words: readonly string[], add: (topic: SessionTopic, weight: number) => void): void {
  const [first = "", second = ""] = words;
  const own = words.slice(0, 12).some((word) => ["my", "our", "this", "it", "the"].includes(word));
  if (words.includes("why")) add(own ? "debugging" : "research", 2);
  if (!own && ["what", "who", "when", "where", "which", "how"].includes(first) && second !== "about")
    add("research", 2);
}

function strongest(scores: ReadonlyMap<SessionTopic, number>): SessionTopic | undefined {
  let best: SessionTopic | undefined;
  let most = ENOUGH;
  for (const topic of ORDER) {
    const weight = scores.get(topic) ?? 0;
    if (best === undefined ? weight >= most : weight > most) {
      best = topic;
      most = weight;
    }
  }
  return best;
}
