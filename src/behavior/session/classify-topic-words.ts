import type { SessionTopic } from "../../base/words/classification.ts";
import { type Vocabulary, vocabulary } from "./classify-vocabulary.ts";

/** What words say of a topic. 6: hardly anything else; 4: strongly; 2: somewhat; 1: a hint. */
export const TOPIC_WORDS: Vocabulary<SessionTopic> = vocabulary({
  coding: `speed_up:3 playwright:2 cypress:2 get_rid_of:2 make_it:1 lazy:1 return_type:4 hook:1 controller:2 end_to_end_test:3 log_in_with:2 sign_in_with:2 constraint:2
    search_bar:3 autocomplete:3 infinite_scroll:4 drag_and_drop:4 rate_limit:2 rate_limiter:4 retry_logic:4 logger:2 logging:1 i18n:4 localise:2
    localize:2 accessibility:3 aria:3 dark_mode:3 string:2 array:3 integer:2 boolean:3 float:2 list_comprehension:4 field:1 property:1 column:1
    attribute:1 checkbox:3 table_component:4 landing_page:3 website:2 web_app:3 rest:1 crud:4 orm:2 dependency_injection:4 singleton:4 state_machine:4
    websocket:3 upgrade_to:1 bump:2 one-liner:4 shell_script:4 bash_script:4 macro:2 makefile:2 unit:0.5 integration_test:3 tests:1 edge_case:2
    remove_the:1 hide_the:1 show_the:1 todo_app:4 calculator:2 snake_game:4 simulation:2 solver:3 tokenizer:3 interpreter:3 encoder:2 iterator:3 returns:1
    takes_a:2 given_a:2 accepts:1 sort_by:1 filter_by:1 opengl:3 shader:4 assembly:2 verilog:4 matlab:2 excel_formula:3 latex:2 shadcn:3 docs_for:1
    function:3 method:2 class:2 subclass:3 component:3 endpoint:3 module:2 library:2 package:1 refactor:5 implement:4 code:3 coding:3
    codebase:3 script:3 test:2 unit_test:3 tests_for:2 variable:3 constant:2 typo:3 rename:3 parser:3 algorithm:3 regex:2 regexp:2 api:1
    sql:3 query:2 migration:2 migrate:2 typescript:3 javascript:3 python:2 rust:2 golang:3 java:2 c++:3 c#:3 kotlin:3 swift:2 scala:3
    haskell:3 elixir:3 php:2 ruby:2 perl:2 bash:1 swiftui:3 flutter:3 react:2 vue:2 svelte:3 angular:3 nextjs:2 tailwind:3 django:3 rails:3
    laravel:3 fastapi:3 express:1 pytorch:2 tensorflow:2 pandas:3 bert:2 dataset:2 train_a:2 fine-tune:2 numpy:3 app:1 feature:2 button:2
    screen:1 toggle:2 loop:2 async:3 await:2 callback:2 generics:2 interface:1 rewrite:1 port_this:3 optimise:2 optimize:2 readme:3
    document_the:2 docstring:3 diff:3 pull_request:3 code_review:4 review:1 add:1 add_a:1 build_a:2 build:1 create:1 write:1 convert:1 login:1
    oauth:2 hash:1 pagination:3 paginate:3 architect:4 from_scratch:2 design:1 service:1 microservice:2 distributed:1 queue:1 parse:3
    schema:1 model:1 widget:2 navbar:2 sidebar:2 modal:2 dialog:1 dropdown:2 tooltip:2 form:1 validation:2 validate:2 css:3 html:3
    command_line:2 subcommand:3 cli:2 sdk:3 type:1 typed:1 struct:4 enum:4 trait:2 data_structure:4 linked_list:4 binary_tree:4 hash_map:3
    compiler:2 lint:1 linter:2 plugin:2 scheduler:2 router:1 store:1 middleware:3 webhook:2 graphql:3 resolver:3 grpc:3 protobuf:3 backend:2
    frontend:2 repo:1 repository:1 replace:1 handler:2 json:1 pdf:1 export:1 import:1 upload:1 idiomatic:4 snippet:3 boilerplate:4
    template:1 abstract:1 inheritance:3 decorator:3 closure:2 recursion:3 recursive:3 memoize:4 cache:1 caching:2 unit_tests:3 tdd:4
    mock:2 fixture:3 stub:2 page:1 layout:2 responsive:2 animation:1 game:1 bot:2 scraper:4 crawler:3 chatbot:2 extension:1 docker_image:1
    let_users:3 users_can:2 user_can:2 allow_users:3 support_for:2 split_the:1 extract_a:2 extract_the:1 merge_the:1 dead_code:4
    deprecate:3 backwards_compatible:3 serialise:3 serialize:3 deserialize:3 dataclass:4 concurrency:2 thread-safe:3 lambda:1 vectorise:2
    big_o:3 o:1 leetcode:4 programmer:1 program:2 monorepo:1 dry-run:2 arguments_to:1 parameter:2 argument:1 null_check:3 line:0.5`,
  debugging: `refusing_to:4 problem:2 issue:1 issues:1 is_saved:1 not_saved:3 empty:1 short:0.5 drops:1 dropped:1 jumps:1 diverges:3 unstable:3 hiccup:3 collapses:2 logged_out:3 kicked_out:3 covers_the:1 add_up:1 nothing_is:3 no_effect:4 wait_here:2 unknown:1 unrelated:1 unreadable:2 half_of:1 too_long:2 takes_too_long:3 takes_forever:4 what_is_going:3 what's_going:3 going_on:1
    complains:3 throws:4 throw:2 raises:3 spins:3 spinner:2 loading_forever:5 forever:2 ignores:2 ignored:2 lost:1 loses:2 disconnects:3
    disconnected:2 conflict:1 won't_compile:5 doesn't_compile:5 can't_build:4 too_many:1 negative:1 zero:0.5 not_being:2 isn't:2 aren't:2 can't:1
    cannot:1 couldn't:2 inconsistent:3 nondeterministic:4 cors:3 eof:2 stuck_at:3 stuck_on:3 rejects:2 double_free:5 use-after-free:5
    memory_usage:2 oom:3 high_cpu:2 keeps_growing:4 even_though:3 although:1 nothing_in_the:2 no_error:3 not_called:4 never_called:5 gets_called:2
    what_am_i_doing:5 any_idea:3 any_ideas:3 doing_wrong:5 help_me_find:2 used_to_work:5 worked_yesterday:5 symptom:1 where_would_you:2
    error:3 exception:4 crash:4 bug:4 buggy:4 fail:4 failure:3 broken:4 broke:3 traceback:5 segfault:5 segmentation_fault:5
    stack_trace:4 hang:3 freeze:3 stuck:3 sticks:2 leak:4 memory_leak:5 deadlock:3 race_condition:5 timeout:3 times_out:4 time_out:3
    timed_out:3 undefined:2 nan:2 not_working:5 doesn't_work:5 don't_work:5 does_not_work:5 isn't_working:5 stopped_working:5 won't_start:5
    won't:2 wont:2 doesn't:2 does_nothing:4 nothing_happens:5 do_nothing:2 what's_wrong:5 what_is_wrong:5 goes_wrong:4 went_wrong:4 wrong:2
    incorrect:2 incorrectly:3 mistake:2 reproduce:3 intermittent:4 intermittently:4 sometimes:2 randomly:3 occasionally:2 every_few:2 debug:3
    regression:3 slow:2 slower:2 sluggish:3 blank_screen:4 blank_page:4 white_screen:4 exit_code:3 exits_with:4 with_code:2 returns_500:4
    panic:3 unexpected:2 unexpectedly:3 out_of_memory:4 endlessly:3 infinite_loop:4 unable_to:3 instead_of:2 not_matching:4 keeps:1 flaky:4
    skip:1 track_it_down:3 find_out_why:4 but_got:4 corrupted:3 corrupt:3 core_dump:4 heap_dump:4 null_pointer:4 got_slow:3 no_longer:2
    anymore:1 troubleshoot:5 diagnose:4 root_cause:4 misbehave:3 since_the_last:3 since_the_update:4 after_the_update:4 after_upgrading:4
    after_updating:4 since_i_upgraded:4 since_this_morning:3 since_yesterday:3 after_the_upgrade:4 after_yesterday's:2 off_by_one:4 twice:2
    duplicate:2 duplicated:3 mismatch:3 warning:2 denied:3 refused:3 rejected:2 missing:1 disappear:3 vanish:3 stale:2 flicker:4 overlap:2
    cut_off:2 lag:3 never_complete:4 never_finishes:4 never_returns:4 stops:2 runs_fine:3 works_fine:3 works_on:3 works_locally:4 only_in:1
    only_happens:3 happens:1 passes_on:2 fixed:1 fix:2 fix_this:3 fix_the:2 hydration:2 404:2 403:2 401:2 500:2 502:2 null:1 unresolved:2
    cannot_find:3 can't_find:3 can't_connect:4 cannot_connect:4 not_found:2 not_showing:4 not_loading:4 doesn't_show:4 doesn't_load:4
    not_updating:4 doesn't_update:4 overflow:2 breakpoint:4 bisect:4 out_of_range:4 invalid:1 malformed:3 garbled:4 wrongly:3 weird:2
    strange:2 suddenly:3 all_of_a_sudden:4`,
  config: `current_value:5 on_save:4 24_hour:4 hour_format:3 date_format:3 my_account:3 linter:3 forbid:2 new_laptop:4 new_machine:4 git_identity:4 mirror:2 registry_url:3 the_model_you:4 default_model:4 cheaper_one:1 your_answers:2 your_tone:3 display_language:5 ssh_keys:1
    how_do_i_change:2 how_do_i_set:3 how_can_i_set:3 where_can_i:1 where_do_i:2 toggle_the:1 switch_to:1 use_my:1 make_it_default:4 .env:4 env_file:4
    config_file:4 yaml:2 toml:3 json_file:1 hotkey:4 wallpaper:3 screensaver:4 font:2 line_length:3 line_numbers:3 ruff:2 pylint:2 mypy:2 strict_mode:3
    two-factor:2 quota:2 retention:1 ttl:2 timeout_to:3 set_up_my:3 my_editor:4 my_shell:4 my_prompt:3 my_terminal:4 my_phone:2 my_laptop:1
    bluetooth:2 wifi:2 printer:2 vpn_client:3 ide:3 cursor:1 copilot:1 the_limit:1 from_to:1
    config:4 configure:4 configuration:4 setting:4 set:1 set_the:2 enable:3 disable:3 turn_off:4 turn_on:4 turns_on:3 switch_off:3
    switch_on:3 change:1 change_the:1 default:1 by_default:4 default_to:3 environment_variable:4 env:3 dotfile:4 eslint:3 prettier:3
    tsconfig:3 webpack:2 vite:1 editorconfig:4 neovim:3 vim:2 emacs:2 tmux:3 vscode:3 vs_code:3 intellij:3 editor:2 terminal:2 shell:1
    zsh:3 bashrc:4 zshrc:4 indentation:3 indent:2 tab_width:4 keybinding:4 keyboard_shortcut:4 shortcut:3 which_key:3 word_wrap:3
    line_endings:3 timezone:2 time_zone:2 log_level:4 verbosity:3 git_config:4 gitconfig:4 ssh_config:5 port:1 telemetry:3 notification:2
    mute:4 unmute:4 digest:2 gitignore:3 preference:4 alias:2 lsp:3 option:1 profile:1 theme:3 dark_theme:4 font_size:4 api_key:2 proxy:2
    locale:3 increase_the_max:3 raise_the_limit:3 limit_to:2 max_size:2 sign_my:2 my_commits:2 node_version:2 python_version:2 automatically:1
    startup:1 autosave:4 formatter:3 pre-commit:3 husky:3 renovate:2 dependabot:2 feature_flag:2 opt_out:3 opt_in:2 subscribe:2
    unsubscribe:3 rules:1 password_manager:2 path_variable:3 permissions_for:1 language_to:3`,
  ops: `upgrade:2 instance:3 environment:1 test_environment:3 disaster_recovery:6 last_100_lines:3 last_n_lines:3 lines_of_the:2 wipe:2 seed:1 reachable:3 revoke:4 leaked_in:2 token_was_leaked:6 who_restarted:5 reporting_instance:3 static_assets:3 dashboards:1 keep_an_eye:2 failing_over:4 region:1
    ssl:2 cert:3 certbot:4 lets_encrypt:4 migrate_to_aws:4 vpc:3 subnet:3 iam:3 lambda_function:1 cloudwatch:4 pagerduty:5 sentry:2 logs_of:2 logs_from:2
    journalctl:4 top:0.5 load_average:4 swap:1 memory_pressure:3 node:1 nodes:2 worker_nodes:3 ingress:3 namespace:2 rolling_update:4 blue-green:4
    hotfix:3 release_notes:1 tag_the:2 ship:2 go_live:4 switch_over:4 cutover:5 dump_of:2 pg_dump:4 snapshot:2 replication:3 replica_lag:4
    cleanup:1 old_releases:3 artifacts:1 runner:2 build_agent:3 quota_on:2 capacity:3 sla:3 latency:1 p99:3 500s:3 5xx:3 spike:2 throttle:1
    down_for:3 users_cannot:2 unreachable:3 respond:0.5 scale_the:2 dockerfile:1 port_forward:3 bastion:2 ops:3
    deploy:4 deployment:3 rollout:4 roll_out:4 rollback:4 roll_back:4 revert:1 release:2 promote:4 production:2 prod:3 staging:3 server:3
    box:1 vm:3 cluster:3 kubernetes:3 kubectl:4 k8s:3 pod:3 docker:2 container:2 terraform:3 ansible:4 helm:3 aws:3 gcp:3 azure:3 heroku:3
    ecs:2 rds:2 s3:2 ec2:3 nginx:3 apache:2 haproxy:3 restart:3 reboot:4 scale:3 scale_up:3 scale_down:3 replica:3 backup:4 back_up:3
    restore:3 outage:6 incident:5 on-call:4 pager:3 postmortem:5 monitoring:4 monitor:3 prometheus:3 grafana:3 datadog:4 alert:3 alerting:3
    disk:3 inode:4 cpu:2 ram:1 ci:2 pipeline:3 github_actions:4 gitlab:3 jenkins:4 agents_are:2 certificate:4 tls:2 dns:3 firewall:4
    load_balancer:3 vpn:2 ssh:3 ssh_into:4 tail:2 access_log:3 log:1 prune:3 provision:4 infrastructure:4 autoscaling:3 cron:2 crontab:3
    nightly:2 health_check:3 health_endpoint:3 uptime:4 volume:1 image:1 registry:2 canary:4 drop:2 database:1 is_up:2 is_down:4 are_down:4
    offline:3 back_online:4 free_up:3 clean_it_up:2 ran_out_of:3 disk_space:4 memory_is_free:3 systemctl:4 systemd:4 daemon:2 node_group:3
    downtime:3 failover:4 fail_over:6 bring_up:3 spin_up:4 shut_down:3 take_down:3 decommission:5 renew:2 rotate:3 host:1
    503:2 traffic:2 sre:4 runbook:5 patch:1 primary:2 secondary:1 connections:2 redis_node:3 object_storage:3 bucket:2 throughput:1
    error_rate:4 watch_the:2 queue_depth:3 maintenance_window:5 credential:2 drain:4 evict:3 cordon:4 migrate_the_server:4 vacuum:1
    reindex:3 warm_up:1 purge_the_cache:4 cdn:3 tb:1 checksums:1`,
  research: `tell_me_more:6 more_about:3 describe_the:3 describe_how:3 contradict:4 contradiction:4 contract:1 sourced:4 supply_chain:4 geopolitical:4 choosing_between:5 decide_between:4 should_i_consider:5 what_to_consider:5 exist_today:3 who_maintains:3 published:3 healthier:4 bones:2 compared_to:4 mean_by:4
    can_you_explain:2 eli5:5 in_simple_terms:4 what_happens_when:4 what_happens_if:3 what_happened:3 where_is:2 where_does:3 how_did:3 why_did:4
    why_does:1 origin_of:4 origins_of:4 causes_of:5 benefits_of:5 risks_of:4 side_effects:5 difference:3 versus:3 vs:3 better_than:2 best_way_to_learn:3
    recommended:1 resources_on:4 books_about:3 books_on:4 timeline_of:3 facts_about:4 data_on:3 figures_on:3 examples_of:2 list_of_all:2 largest:3
    tallest:4 oldest:4 fastest:1 highest:2 longest:3 most_popular:3 state_of:2 legal:2 gdp:4 average:1 fda:3 eu:2 startups:2 investors:2 industry:2
    read_this:1 key_points:4 main_points:4 main_ideas:4 abstract_of:3 whitepaper:4 documentation_say:2 docs_say:2 how_is:2 how_are:1 understand:2
    compare:5 comparison:5 difference_between:5 differ:3 explain:4 what_is:2 what's:1 what_are:3 what_does:3 how_does:3 how_do:2 who:2
    when_did:4 when_was:4 in_which_year:4 which:1 summarize:5 summarise:5 summary:4 overview:3 paper:3 study:3 literature:4
    literature_review:5 research:4 find:1 find_out_about:3 look_up:4 look_into:2 source:2 report:2 article:3 pros_and_cons:6 advantage:4
    disadvantage:4 arguments_for:5 for_and_against:5 market:2 market_analysis:5 analysis:2 analyse:2 analyze:2 history:2 invent:3
    discover:2 capital_of:4 population_of:5 according_to:2 theorem:3 recent:1 learn_about:3 tell_me_about:3 reading_about:4 intuition:4
    investigate:2 survey:3 trade-off:4 tradeoff:4 best_practice:3 state_of_the:3 claim:1 findings:3 evidence:4 scientific:4 forecast:2
    statistics:4 alternatives_to:4 how_many:2 how_much:1 how_long:2 how_far:4 how_old:3 how_big:3 how_tall:4 how_fast:2 why_do:3 why_does_the:1
    why_is_the:2 why_are:3 insurance:2 law:2 concept:3 theory:3 stand_for:5 meaning_of:4 definition:4 define:3 dossier:5 competitor:4 trend:2
    pricing:1 citation:4 cite:3 bibliography:5 what_causes:5 is_it_true:5 is_there_any:3 impact_of:4 effect_of:3 effects_of:4 economy:3
    climate:2 war:2 century:3 president:3 country:2 countries:3 philosophy:3 physics:3 biology:3 chemistry:3 medicine:2 disease:3 symptom:2
    vitamin:3 planet:3 earth:2 moon:2 sky:2 species:3 ancient:3 religion:3 election:3 policy_on:2 regulation:3 tax:2 inflation:4 in_history:4
    technology:1 background_on:4 deep_dive:4 primer_on:5 introduction_to:4 options_for:2 benchmark:1 recommend_a_library:2 which_is_better:4`,
  conversation: `i'm_back:5 long_time:3 what_are_you_doing:6 tell_me_a_secret:6 you're_funny:6 you_are_funny:6 you're_great:5 good_job:5 well_done:5 amazing:2
    i_don't_know_what:3 i_don't_know:2 feeling_down:5 overwhelmed:5 motivation:3 burned_out:5 burnt_out:5 argument_with:3 fight_with:4 i_hate:3 i_love:2
    i_miss:4 my_friend:3 my_sister:2 my_brother:1 my_parents:2 coworker:3 colleague:2 apologize:2 dating:3 first_date:4 crush_on:4 life:1 meaning_of_life:3
    how_do_you_feel:6 can_you_feel:5 are_you_ok:6 do_you_remember:4 test_test:3 ping:3 just_wanted_to:3 happy_new_year:5 merry_christmas:5 sleep_well:5
    how_are_you:6 how's_it_going:6 how_are_things:6 what's_up:6 how_is_it:2 thank_you:5 who_are_you:6 your_name:6 what_can_you:6
    nice_to_meet:6 nice_one:4 chat:3 talk:2 need_to_talk:4 just_talk:4 lonely:5 i_feel:4 i'm_feeling:4 feel:2 my_day:3 terrible_day:5
    bad_day:5 great_day:5 long_day:4 unhappy:4 should_i:3 do_you_think:5 you_think_about:3 what_do_you_think:3 your_opinion:4
    about_yourself:6 something_interesting:3 i'm_sad:5 i'm_bored:5 i'm_tired:4 i'm_so:3 bored:4 how_was_your:5 are_you_a:5 are_you_an:5
    are_you_real:6 are_you_there:6 are_you_human:6 do_you_like:5 do_you_have:3 do_you_ever:5 do_you_dream:6 your_favorite:5 your_favourite:5
    my_boss:2 my_girlfriend:3 my_boyfriend:3 my_wife:2 my_husband:2 my_mom:3 my_mum:3 my_dad:3 my_cat:3 my_dog:3 stressed:4 anxious:4
    worried:3 died:3 crying:5 cry:4 grief:5 heartbroken:6 broke_up:5 breakup:5 divorce:3 happy_birthday:4 congratulations:4 i_love_you:5
    miss_you:4 weekend:2 see_you:5 good_to_see:5 haha:4 hahaha:4 lol:4 nothing_much:5 just_saying:4 no_worries:5 you're_welcome:5 sounds_good:4
    got_it:3 i_agree:4 never_mind:5 nevermind:5 advice:2 friend:2 relationship:3 excited:3 nervous:4 proud:3 guess_what:5`,
  creative: `continue_this:5 continue_the_story:6 be_called:4 drama:5 shakespeare:6 shakespearean:6 invitation:4 board_game:5 royal:4 coat_of_arms:6 game_rules:3 opening_lines:5 what_could:2
    rewrite_the_ending:5 ending:2 opening_line:5 first_line:2 plot_for:4 plot:1 concept_for:2 ideas_for:3 idea_for:2 invent_a:4 nickname:5 pet_name:4
    band_name:6 domain_name_ideas:4 product_name:4 mission_statement:3 motto:6 ad_copy:5 advert:3 advertisement:4 marketing_copy:4 newsletter:2 headline:3
    podcast:2 sketch:3 comic:4 cartoon:4 illustration:4 eulogy:5 vows:5 roast:4 pirate:4 robot_who:4 ghost:3 alien:3 kingdom:3 medieval:2 dystopian:5
    free_verse:6 acrostic:6 stanza:6 narrator:5 tale:5 myth:3 legend:3 lullaby:6 musical:3 rhyming:5 whimsical:5 poetic:5 humorous:4 d&d:4 dungeon:4
    haiku:6 poem:6 poetry:6 story:5 short_story:5 novel:6 lyrics:6 song:5 slogan:6 limerick:6 joke:6 pun:6 riddle:6 speech:5 toast:4
    tagline:6 character:3 villain:5 hero:3 protagonist:5 chapter:5 scene:5 fiction:5 fantasy:3 sci-fi:4 bedtime:3 brainstorm:5 name_ideas:6
    names_for:4 name_for:4 title:2 titles_for:5 compose:4 make_up:3 come_up_with:4 think_of:3 witty:5 creative:4 essay:3 screenplay:6 script_for:2
    rap:5 verse:4 rhyme:5 blog_post:3 imagine:4 describe_a:4 draw:4 painting:3 logo:4 funny:3 wedding:2 anniversary:3 write:1 write_a:1 draft:1
    sonnet:6 ballad:6 fairy_tale:6 fable:6 dialogue:3 monologue:5 worldbuilding:5 caption:4 jingle:6 plot_twist:5 greeting_card:5 birthday:1
    as_if:2 in_the_style:5 in_the_voice:5 pretend:4 roleplay:6 role-play:6 spy:2 spies:3 dragon:4 wizard:4 detective:3 metaphor:3 parody:6
    satire:5 movie_idea:5 love_letter:6 valentine:4 tweet:3 instagram:3 mascot:4 backstory:6 anthem:5 melody:4 choir:3`,
  other: `until_christmas:5 how_many_weeks:5 how_many_hours:3 how_many_months:4 cancel_my:5 write_to_the:3 good_present:5 present:1 alphabetical_order:5 into_a_table:4 these_notes:3 plumber:5 electrician:5 correct_my:5 ring_the:3 usd:3 eur:3 gbp:3 dollars:2 euros:2 tofu:4 rice:4 leftovers:5
    convert_to_pdf:3 unit_conversion:5 how_many_days:5 days_until:5 what_time_is:5 what_day_is:5 time_in:2 add_up:4 divide:2 multiply:3 solve:3 equation:4
    integral:4 probability:3 homework:3 math:3 maths:3 exercise:2 workout:2 calories:5 vacation:4 holiday:3 visa:2 passport:2 rent:2 landlord:3
    apartment:3 furniture:4 paint_the:2 repair:1 wash:3 stain:4 dog_food:3 vet:2 birthday_gift:5 party:2 guest:2 seating:3 menu:3 vegetarian:4 vegan:4
    wine:3 coffee:1 taxi:4 uber:4 bus:2 parking:3 ticket_to:3 concert:3 cinema:4 movie:2 series_to_watch:4 suggest_a_movie:5 summarise_my_emails:3
    reply_to_this:3 answer_this_mail:4 complaint_letter:4 thank-you_note:3 subject_line:3 dictate:3 label_these:2 categorise:3 categorize:3 ocr:3
    translate:7 translation:6 how_do_you_say:7 remind:7 remind_me:2 reminder:6 recipe:6 cook:6 bake:5 dinner:4 lunch:4 meal:4 ingredient:5
    shopping:3 shopping_list:5 grocery:5 groceries:5 book_a:6 reserve_a:5 proofread:7 e-mail:1 email:1 paragraph:3 more_formal:4 more_polite:4
    polite:2 shorten:3 make_this_text:5 text_shorter:5 percent:2 mile:3 kilometre:3 kilometer:3 pounds:2 calculate:5 schedule_a_meeting:7
    meeting:3 meeting_with:2 calendar:5 appointment:5 restaurant:5 flight:5 train_from:6 train_to:5 hotel:5 travel:3 trip:4 itinerary:5
    currency:3 celsius:4 fahrenheit:4 extract:2 sort_it:3 alphabetical:3 alphabetically:4 spreadsheet:2 rephrase:5 spell:3 spelling:4
    grammar:4 reword:5 invoice:1 todo_list:3 to-do_list:3 phone_number:3 date_of_birth:3 how_much_is:3 square_root:5 sqrt:6 packing:4
    workout_plan:4 diet:4 in_french:3 into_french:5 into_german:5 into_english:5 in_spanish:3 to_spanish:4 in_italian:4 in_german:3
    in_japanese:4 sounds:1 fill_in:3 fill_out:4 this_form:2 my_details:3 cover_letter:4 resume:2 cv:3 gift:4 present_for:3 toddler:4 kids:2
    what_can_i_do:3 movie_recommendation:5 recommend_a:2 recommend_me:4 playlist:4 budget_for:2 laundry:4 garden:2 plant:2 rain:1 weather:4
    buy:2 cheapest:3 nearest:2 near_me:5 address_of:2 opening_hours:5 clean_the:1 tip:1 birthday_party:4 timer:5 alarm:4 call_the:2 order_a:4
    transcribe:5 format_this:2 bullet_points:3 email_to:3 letter_to:4`,
});

export const GREETING_WORDS: Vocabulary<"greeting"> = vocabulary({
  greeting: `hi hello hey heya howdy yo good_morning good_evening good_night good_afternoon thanks thank_you thx cheers bye goodbye
    see_you lol haha ok okay cool great nice perfect awesome wow yes no sure sorry hmm welcome morning evening`,
});
