import type { SessionComplexity, SessionTopic } from "../../base/words/classification.ts";
import { COMPLEXITIES } from "./classification.ts";
import type { Reading } from "./classify-reading.ts";
import { score, type Vocabulary, vocabulary } from "./classify-vocabulary.ts";

const WEIGHTY: Vocabulary<"more" | "less"> = vocabulary({
  more: `disaster_recovery:1.2 million:0.8 millions:0.8 think_through:0.8 all_the:0.4 strict_mode:0.3 third-party:0.4 speed_up:0.4 takes_forever:0.3 random_times:0.5
    monolithic:1 monolith:0.8 without_changing:0.4 without_interrupting:0.6 every_few:0.6 platform:0.6 worldwide:0.4 global:0.3 compliance:0.4 detailed:0.6
    trade-offs:0.4 strategy:0.5 roadmap:0.6 end-to-end:0.6 scalable:0.6 real-time:0.5 realtime:0.5 protocol:0.5 compiler:0.8 interpreter:0.6 engine:0.4
    performance:0.3 concurrent:0.4 consistent:0.3 heap_dumps:0.4 random:0.3 sometimes:0.4 refactor:0.6 migrate:0.8 rewrite:0.6 redesign:1.2 architect:1.5 architecture:1.5 design:0.4 distributed:1 microservice:1
    multi-tenant:1 multi-region:1 failover:0.7 from_scratch:1 horizontal:0.5 exactly-once:0.8 high_availability:1 several_services:1
    whole:0.6 entire:0.6 across_the:0.8 codebase:0.5 all_modules:0.8 all_components:0.6 every_module:0.8 monorepo:0.5 system:0.3
    infrastructure:0.6 cluster:0.4 terraform:0.5 zero_downtime:1 coordinate:0.8 survive:0.5 concurrency:0.6 parallel:0.5 incremental:0.5
    race_condition:1.2 memory_leak:1.2 leak:0.6 deadlock:0.6 intermittent:1 under_load:0.8 cannot_reproduce:0.6 root_cause:0.7 outage:1.2
    incident:0.6 production:0.4 thorough:1.2 in-depth:1 in_depth:1 literature_review:1 market_analysis:1 forecast:0.4 comprehensive:1
    with_sources:0.4 compare:0.5 implement:0.5 build:0.4 integrate:0.6 integration:0.5 pipeline:0.4 set_up:0.4 configure:0.3 migration:0.5
    optimise:0.3 optimize:0.3 novel:0.4 chapter:0.4 story:0.3 speech:0.4 lyrics:0.3 train:0.4 fine-tune:0.5 summarize:0.2 papers:0.4
    studies:0.4 backup:0.3 deploy:0.4 roll_out:0.4 encrypted:0.3 plus_tests:0.3 and_tests:0.3 recovery:0.4 scaling:0.4 segfault:0.3
    segmentation_fault:0.3 dependencies:0.3 port_this:0.4 support:0.1 oauth:0.5 autoscaling:0.4 monitoring:0.3 overview:0.3 options:0.2
    first:0.2 then:0.3 afterwards:0.2 step:0.2`,
  less: `briefly:0.8 in_short:0.5 typo:1 rename_the_variable:1 rename:0.2 one-liner:0.6 just:0.2 quick:0.5 quickly:0.4 simple:0.4 small:0.2 show_me:0.6
    what_port:0.8 bump:0.5 when_did:0.8 capital_of:1 who_invented:0.3 convert:0.3 what's_your:0.8 who_are_you:0.8`,
});

const MANY =
  /\b(\d{1,6}|dozens of|hundreds of|several|many|multiple|all) (?:other )?(?:files|services|modules|components|repos|repositories|packages|tables|servers)\b|\d,?\d{3} lines\b/i;

const START: { readonly [topic in SessionTopic]: number } = {
  coding: 1.3,
  debugging: 1.5,
  ops: 1.4,
  config: 1,
  research: 1,
  creative: 1,
  other: 0.9,
  conversation: 0.3,
};

/** How much it takes, from what is asked and how much of it there is. */
export function classifyComplexity(reading: Reading, topic: SessionTopic): SessionComplexity {
  const weighed = score(reading.words, WEIGHTY);
  const tier = START[topic] + (weighed.get("more") ?? 0) - (weighed.get("less") ?? 0) + amount(reading);
  return COMPLEXITIES[Math.max(0, Math.min(COMPLEXITIES.length - 1, Math.round(tier)))] ?? "simple";
}

/** Length, files, and how many things are listed. */
function amount({ words, prose, files }: Reading): number {
  // Letters too: some languages put no spaces between words.
  const length = Math.max(words.length, Math.floor(prose.length / 12));
  const said = length < 5 ? -0.4 : length > 120 ? 1 : length > 45 ? 0.6 : length > 22 ? 0.3 : 0;
  const listed = Math.min(4, (prose.match(/[,;]\s|\n\s{0,4}(?:[-*]|\d{1,2}[.)])\s|\band\b/g) ?? []).length);
  return said + (listed > 2 ? 0.2 * (listed - 1) : 0) + (files.length > 2 ? 0.6 : 0) + (MANY.test(prose) ? 0.6 : 0);
}
