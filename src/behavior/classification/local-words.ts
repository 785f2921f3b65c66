/** What a word or phrase speaks for, and how strongly. */
export type Vocabulary = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Reads one list per value: `deploy` has weight 3, `outage:6` its own, `roll_out` is a phrase. */
function vocabulary(lists: { readonly [value: string]: string }): Vocabulary {
  const entries = new Map<string, Map<string, number>>();
  for (const [value, list] of Object.entries(lists)) {
    for (const entry of list.split(/\s+/)) {
      const [spelled = "", weight = 3] = entry.split(":");
      const phrase = spelled.replaceAll("_", " ");
      entries.set(phrase, (entries.get(phrase) ?? new Map()).set(value, Number(weight)));
    }
  }
  return entries;
}

/** Regular forms (deploys, deployed, deploying) are found through the plain one. */
export const TOPICS: Vocabulary = vocabulary({
  coding: `function class:2 component generics enum:4 struct:4 parser refactor implement:4 rename typo pagination validation unit_test test:2
    mock:2 feature:2 sdk sql typescript python:2 rust:2 kotlin swiftui flutter vue:2 graphql oauth:2 endpoint:2 query:2 async callback:2 array
    codebase from_scratch:2 architect:4 microservice:2 dark_mode button:2 plugin:2 pull_request code:2 regex algorithm readme diff migrate:2
    port_this pandas pytorch:2 let_users subcommand speed_up cleaner idiomatic:4 return_type`,
  debugging: `error fail:4 crash:4 bug:4 broken exception:4 segmentation_fault:5 undefined:2 panic freeze hang wrong:2 doesn't_work:5 not_working:5
    does_nothing:4 what_is_wrong:5 what's_wrong:5 find_out_why:4 debug:5 unable_to cannot:1 can't:1 doesn't:2 sometimes:2 intermittent:4 flaky:4
    race_condition:5 deadlock memory_leak:5 slow:2 times_out:4 stack_trace:5 reproduce throw since_the:1 since_i:1 suddenly unexpected:2 duplicate:2
    warning:2 mismatch denied refused exit_code blank off_by_one:4 500:2 404:2 out_of_range:4 but_got:4 problem:2 issue:2 fix:1 stops:2
    no_longer:2 root_cause:4 stuck logged_out nothing_is anymore:1 complain:2`,
  config: `config:4 configure:4 configuration:4 setting:4 enable disable turn_off:4 turn_on:4 default:1 by_default:4 environment_variable:4 env
    eslint prettier linter tsconfig editor:2 my_editor:4 terminal:2 my_terminal:4 vs_code vscode neovim vim:2 tmux zsh zshrc:4 shell:1 indentation
    tab_width:4 shortcut theme font:2 timezone:2 log_level:4 telemetry notification:2 mute:4 alias:2 git_config:4 gitignore ssh_config:5
    api_key:2 preference:4 proxy:2 set_the:2 change_the:1 automatically:1 yaml:2 webpack:2 current_value:4 my_account on_save:4 where_do_i:2`,
  ops: `deploy:4 deployment roll_out:4 rollback:4 roll_back:4 release:2 production:2 prod staging server cluster kubernetes kubectl:4 k8s pod docker:2
    container:2 terraform helm aws gcp azure heroku nginx restart reboot:4 scale replica backup:4 restore outage:6 incident:5 monitoring:4 monitor
    grafana prometheus alert disk cpu:2 pipeline jenkins:4 github_actions:4 gitlab certificate:4 tls:2 dns firewall:4 load_balancer vpn:2 ssh
    infrastructure:4 autoscaling cron:2 health_check uptime:4 downtime canary:4 is_down:4 is_up:2 offline disk_space:4 free_up renew:2 rotate
    database:1 s3:2 bucket:2 fail_over:6 disaster_recovery:6 drain:4 revoke:4 cdn promote:4 registry:2 prune instance 503:2 error_rate:4`,
  research: `explain:4 compare:5 comparison:5 difference difference_between:5 summarize:5 summarise:5 summary:4 overview study paper literature:4
    research:4 look_up:4 article source:2 pros_and_cons:6 advantage:4 disadvantage:4 market:2 analysis:2 history:2 who:2 when_did:4 what_is:2
    what_are what_does how_does how_do:2 how_far:4 how_many:2 which:1 why_is_the:2 capital_of:4 population_of:5 theorem according_to:2 findings
    evidence:4 theory concept meaning_of:4 stand_for:5 tell_me_about tell_me_more:5 in_which_year:4 country:2 competitor:4 trend:2
    forecast:2 cite trade-off:4 arguments_for:5 is_there_any is_it_true:5 reading_about:4 origin_of:4 find_out:2 choosing_between:5 options_for:2`,
  conversation: `how_are_you:6 how's_it_going:6 what's_up:6 thank_you:5 who_are_you:6 your_name:6 what_can_you:6 nice_to_meet:6 nice_one:4 talk:2
    lonely:5 i_feel:4 feel:2 do_you_think:5 are_you_a:5 do_you_like:5 do_you_ever:5 see_you:5 about_yourself:6 bored:4 sad:4 tired:2 crying:5 died
    terrible_day:5 stressed:4 worried nervous:4 my_boss:2 my_friend unhappy:4 haha:4 lol:4 good_job:5 sounds_good:4 i_agree:4 never_mind:5
    advice:2 something_interesting hi:2 hello hey good_morning:4 good_evening:4 good_night:4 morning:2 thanks bye:4 okay:1 cool:2 great:2 wow:2`,
  creative: `poem:6 haiku:6 limerick:6 story:5 novel:6 chapter:5 lyrics:6 song:5 slogan:6 tagline:6 joke:6 pun:6 riddle:6 speech:5 toast:4 rhyme:5
    scene:5 character villain:5 fantasy brainstorm:5 ideas_for name_ideas:6 names_for:5 titles_for:5 title:2 come_up_with:4 make_up think_of
    blog_post compose:4 witty:5 funny creative:4 describe_a:4 imagine:4 invitation:4 wedding:2 anniversary in_the_style:5 pretend:4 roleplay:6
    dragon:4 drama:5 logo:4 continue_this:5 be_called:4 opening_line:5 essay`,
  other: `translate:7 translation:6 how_do_you_say:7 remind:7 reminder:6 recipe:6 cook:6 bake:5 dinner:4 lunch:4 meal:4 shopping:4 book_a:6 proofread:7
    grammar:4 spelling:4 rephrase:5 more_formal:4 more_polite:4 shorter:4 paragraph email:1 letter_to:4 meeting calendar:5 appointment:5
    restaurant:5 flight:5 train_from:6 hotel:5 trip:4 travel weather:4 calculate:5 percent:2 mile kilometre currency usd eur dollars:2
    into_french:5 into_german:5 into_english:5 to_spanish:4 in_italian:4 extract:2 phone_number sort_it alphabetical:4 fill_in gift:4
    present_for timer:5 how_many_weeks:5 how_many_days:5 into_a_table:4 cancel_my:5 correct_my:5 vegetarian:4`,
});

/** A message that begins with one of these asks for something to be done. */
export const VERBS: Vocabulary = vocabulary({
  verb: `add allow analyse analyze book bring build calculate call change check clean compare configure convert copy correct cover create cut debug
    delete deploy describe design document draft drop enable disable explain extend extract fill find fix format generate get give handle implement
    improve increase install integrate introduce let list look make merge migrate move open optimise optimize parse plan port pull push put
    raise read refactor remind remove rename replace reset restart restore review rewrite roll run save schedule scale send set show sort speed
    split start stop suggest summarise summarize support switch take tell test translate turn update upgrade use validate write`,
});

/** These make a message technical; so does every word of `DOMAINS`. */
export const TECHNICAL: Vocabulary = vocabulary({
  technical: `account app application attachment build cache class click code commit config console cookie crash data dependency directory download
    error exception export field file folder function loop git header image import index input json keyboard log login logged memory menu
    message method module network null object output package page parameter path plugin port process program property query queue regex render
    repo repository request response row screen script scroll search server service session software string style submit syntax system tab table
    terminal thread token type upload url user users variable version web website window worker`,
});

export const COMPLEXITY: Vocabulary = vocabulary({
  more: `architect:1.5 architecture:1.2 redesign:1.2 design:0.4 distributed:1 microservice:1 from_scratch:1 refactor:0.6 migrate:0.8 migration:0.5
    rewrite:0.6 whole:0.6 entire:0.6 across_the:0.8 codebase:0.5 zero_downtime:1 race_condition:1.2 memory_leak:1.2 intermittent:1 root_cause:0.7
    outage:1.2 incident:0.6 production:0.4 thorough:1.2 in_depth:1 comprehensive:1 literature_review:1 market_analysis:1 compare:0.5 implement:0.5
    build:0.4 integrate:0.6 pipeline:0.4 set_up:0.4 novel:0.4 chapter:0.4 train:0.4 deploy:0.4 roll_out:0.4 infrastructure:0.6 cluster:0.4
    oauth:0.5 real-time:0.5 compiler:0.8 then:0.3 without:0.4 sometimes:0.4 strategy:0.5 million:0.8 disaster_recovery:1.2 all_the:0.4`,
  less: "typo:1 rename:0.2 quick:0.5 quickly:0.4 just:0.2 simple:0.4 small:0.2 briefly:0.8 show_me:0.6 capital_of:1 when_did:0.8 bump:0.5",
});

export const DOMAINS: Vocabulary = vocabulary({
  frontend:
    "frontend:4 react vue:4 svelte:4 angular:4 css html:2 tailwind component:2 button:2 ui:2 browser:2 webpack layout:2 safari",
  react: "react:4 jsx redux nextjs:2",
  vue: "vue vuex nuxt",
  backend:
    "backend:4 api:2 endpoint django flask fastapi express:2 rails:2 microservice:2 graphql:2 grpc webhook:2 middleware:2",
  database:
    "database:4 postgres:4 postgresql:4 mysql:4 sqlite:4 mongodb:4 sql:4 redis:2 orm:2 schema:1 column:2 constraint:2",
  devops: `devops:4 docker dockerfile ci pipeline:2 github_actions jenkins terraform ansible deploy deployment roll_out kubernetes:2 cluster:2
    grafana prometheus monitoring outage infrastructure disk:2 helm:2`,
  k8s: "k8s:4 kubernetes:4 kubectl:4 helm pod ingress:2 cluster:1",
  cloud: "cloud aws:4 gcp:4 azure:4 s3:2 ec2 lambda:2 heroku cloudflare load_balancer:2",
  security: `security:4 oauth password authentication authorization encrypt:2 encryption certificate:2 tls:2 ssl:2 vulnerability:4 cve:4 xss:4
    csrf:4 credential api_key firewall:2 jwt secret:2 leaked:2 revoke`,
  testing: "test:2 unit_test:4 jest:4 vitest:4 pytest:4 cypress:4 playwright:4 coverage:2 mock:2 e2e",
  data: "pandas:4 csv spark airflow:4 etl:4 analytics kafka:2 bigquery:4 snowflake dbt:4 excel:2 dashboard:2",
  ml: "machine_learning:4 pytorch:4 tensorflow:4 bert:4 llm embedding neural classifier:2 dataset:2 fine-tune",
  mobile: "mobile ios:4 android:4 iphone:4 swiftui:4 flutter:4 react_native:4 swift:2 kotlin:2",
  networking: "dns:4 vpn firewall tcp:4 udp:4 subnet:4 proxy:2 ssh:2 tls:2 latency:2 load_balancer:2",
  docs: "readme:4 documentation:4 document_the changelog:4 docs:2",
  python: "python:4 pip numpy pytest:2 django:2 flask:2 fastapi:2 pandas:1",
  typescript: "typescript:4 tsconfig",
  javascript: "javascript:4 npm:2 node:2",
  rust: "rust:4 cargo:4",
  go: "golang:4 goroutine:4",
  java: "java:4 maven:4 gradle:4 nullpointerexception spring_boot",
  game: "unity godot:4 unreal game_engine:4",
  embedded: "arduino:4 raspberry_pi:4 esp32:4 firmware:4 microcontroller:4",
});

/** By file extension, or by the language that a code block names. */
export const FILES = new Map(
  Object.entries({
    coding: `tsx=frontend,react,typescript jsx=frontend,react vue=frontend,vue svelte=frontend css=frontend scss=frontend html=frontend
      ts=typescript typescript=typescript js=javascript mjs=javascript javascript=javascript py=python python=python ipynb=python,data rs=rust
      rust=rust go=go java=java kt=mobile swift=mobile sql=database tf=devops dockerfile=devops c cpp h cs rb php sh lua`,
    config:
      "yaml yml toml ini conf cfg json env zshrc bashrc vimrc gitconfig gitignore editorconfig npmrc eslintrc prettierrc",
    none: "csv=data md=docs txt log pdf xml docx xlsx png jpg svg zip",
  }).flatMap(([topic, list]) =>
    list.split(/\s+/).map((entry) => {
      const [kind = "", domains] = entry.split("=");
      return [kind, { topic, domains: domains?.split(",") ?? [] }] as const;
    }),
  ),
);

export const FLAGS: Vocabulary = vocabulary({
  destructive: `drop_the drop_all drop_table delete_all delete_the_database delete_every delete_everything wipe purge prune destroy erase
    truncate_table force_push hard_reset remove_all remove_everything`,
  production: "production prod outage live_system live_site live_database live_server all_customers",
  "security-sensitive": `password credential secret api_key oauth encrypt encryption certificate tls ssl vulnerability exploit authentication
    authorization private_key ssh_key access_token jwt firewall security cve xss csrf sql_injection permissions sso revoke leaked`,
  "personal-data": `patient social_security date_of_birth phone_number home_address passport salary medical_record gdpr credit_card personal_data
    bank_account customer_data`,
  "multi-file": `the_codebase whole_codebase entire_codebase all_files all_modules all_components every_file every_module several_files
    multiple_files whole_project entire_project entire_repo whole_repo`,
});
