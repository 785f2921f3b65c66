import { DOMAIN_MAX, FLAGS_MAX } from "./classification.ts";
import { extensionOf, type Reading } from "./classify-reading.ts";
import { ranked, score, type Vocabulary, vocabulary } from "./classify-vocabulary.ts";

const DOMAINS: Vocabulary<string> = vocabulary({
  frontend: `safari:3 chrome:2 firefox:2 form:1 client_side:2 client-side:3 hydration:3 sidebar:3 modal:2 dropdown:3 checkbox:2 landing_page:3
    next:0.5 accessibility:3 aria:3 stylesheet:4 dark_mode:2 website:2 layout:2 scroll:2 frontend:4 front-end:4 react:3 vue:4 svelte:4 angular:4 css:3 html:2 tailwind:3 component:2 navbar:3 button:2 ui:2 webpack:3
    vite:2 browser:2 dom:2 useeffect:2 setstate:2 next.js:3 nextjs:3 eslint:1 prettier:1 web_page:2 responsive:2`,
  react: "react:4 jsx:3 useeffect:2 setstate:2 usestate:2 redux:3 nextjs:2 next.js:2",
  vue: "vue:3 vuex:3 pinia:3 nuxt:3",
  backend: `rate_limit:2 websocket:2 resolver:2 queue_consumer:3 worker:1 api:2 server:0.5 backend:4 back-end:4 endpoint:3 express:2 fastapi:3 django:3 flask:3 rails:2 spring_boot:3 microservice:2 rest_api:3 graphql:2
    grpc:3 webhook:2 requests:1 ingestion:2 job_queue:2 message_queue:2 server-side:3 middleware:2 event_ingestion:2 get:0.5 post:0.5`,
  database: `constraint:2 unique_constraint:2 table:1 upgrade_postgres:1 insert:1 join:1 select:1 transaction:2 replication:2 primary_key:3 foreign_key:3 dynamodb:4 elasticsearch:3 pg_dump:3 database:4 postgres:4 postgresql:4 mysql:4 sqlite:4 mongodb:4 sql:4 redis:2 query:1 migration:1 table:1 index:1 deadlock:1
    schema:1 column:2 orm:2 prisma:3 rds:2 rows:1 explain_analyze:3 backup_of_the:0.5`,
  devops: `devops:4 docker:3 docker-compose:3 dockerfile:3 ci:3 pipeline:2 github_actions:3 gitlab:2 jenkins:3 terraform:3 ansible:3
    deploy:3 deployment:3 roll_out:3 rollout:3 kubernetes:2 kubectl:1 helm:2 cluster:2 grafana:3 prometheus:3 monitoring:3 outage:3
    incident:2 infrastructure:3 disk:2 restart:1 replica:2 canary:2 registry:1 alert:1 backup:1 staging:1 server:1`,
  k8s: "k8s:4 kubernetes:4 kubectl:4 helm:3 pod:3 crashloopbackoff:3 cluster:2 replica:2 namespace:1 ingress:2 statefulset:3",
  cloud: "aws:4 gcp:4 azure:4 s3:2 ec2:3 ecs:3 rds:2 lambda:2 heroku:3 cloudflare:3 cloud:3 gcloud:4 load_balancer:2",
  security: `leaked:2 revoke:3 permission:1 security:4 oauth:3 password:3 auth:3 authentication:3 authorization:3 encrypt:2 encryption:3 certificate:2 tls:2 ssl:2
    vulnerability:4 cve:4 xss:4 csrf:4 secret:2 credential:3 api_key:3 token:1 firewall:2 argon2:3 jwt:3 penetration:3 exploit:3`,
  testing: `test_suite:4 test_case:3 spec:1 mocking:2 unit_test:4 test:2 tests:2 jest:4 vitest:4 pytest:4 cypress:4 playwright:4 test_login:2 coverage:2 mock:2 e2e:3 flaky:1
    tests_failing:2 integration_test:4`,
  data: "pandas:4 csv:3 spark:3 airflow:4 etl:4 dataframe:4 dashboard:2 analytics:3 kafka:2 bigquery:4 snowflake:3 dbt:4 plot:1 excel:2",
  ml: `pytorch:4 tensorflow:4 bert:4 fine-tune:3 neural:3 machine_learning:4 dataset:2 classifier:2 transformers:3 hugging_face:3 llm:3
    embedding:3 embeddings:3 rag:2 retrieval_augmented:3 scikit-learn:4 train:1 confusion_matrix:2 gpt:2`,
  mobile:
    "iphone:4 ipad:3 face_id:3 app_store:3 play_store:3 ios:4 android:4 swiftui:4 flutter:4 react_native:4 mobile:3 swift:2 kotlin:2 push_notification:2 xcode:3",
  networking:
    "dns:4 vpn:3 firewall:3 tls:2 proxy:2 proxyjump:3 ssh:2 ssh_config:2 tcp:4 udp:4 subnet:4 router:1 latency:2 bastion:2 load_balancer:2 port:1 certificate:1 nginx:1",
  docs: "readme:4 documentation:4 document_the:3 docs:2 changelog:4 docstring:3 installation_instructions:2",
  python: "python:4 pandas:1 pytest:2 django:2 pip:3 numpy:3 flask:2 fastapi:2",
  typescript: "typescript:4 tsconfig:3",
  javascript: "javascript:4 npm:2 node:2 node.js:3 nodejs:3",
  rust: "rust:4 cargo:4",
  go: "golang:4 goroutine:4",
  java: "java:4 maven:4 gradle:4 nullpointerexception:3 spring:2 spring_boot:3",
  game: "unity:3 godot:4 unreal:3 game_engine:4",
  embedded: "arduino:4 raspberry_pi:4 esp32:4 firmware:4 microcontroller:4",
});

/** By extension, or by the language that a code block names. */
const OF_FILES: { readonly [extension: string]: readonly string[] } = {
  tsx: ["frontend", "react", "typescript"],
  jsx: ["frontend", "react"],
  vue: ["frontend", "vue"],
  svelte: ["frontend"],
  css: ["frontend"],
  scss: ["frontend"],
  html: ["frontend"],
  ts: ["typescript"],
  js: ["javascript"],
  mjs: ["javascript"],
  py: ["python"],
  ipynb: ["python", "data"],
  rs: ["rust"],
  go: ["go"],
  java: ["java"],
  kt: ["mobile"],
  swift: ["mobile"],
  sql: ["database"],
  tf: ["devops"],
  csv: ["data"],
  md: ["docs"],
  javascript: ["javascript"],
  typescript: ["typescript"],
  python: ["python"],
  rust: ["rust"],
  dockerfile: ["devops"],
};

/** Every domain that can come out of it. */
export const LOCAL_DOMAINS: readonly string[] = [
  ...new Set([...[...DOMAINS.entries.values()].flat().map(({ value }) => value), ...Object.values(OF_FILES).flat()]),
];

/** At most three tags, the strongest first. */
export function classifyDomain(reading: Reading): readonly string[] {
  const scores = score(reading.words, DOMAINS);
  for (const file of [...reading.files, ...reading.languages]) {
    const extension = extensionOf(file);
    const tags = Object.hasOwn(OF_FILES, extension) ? (OF_FILES[extension] ?? []) : [];
    for (const tag of tags) scores.set(tag, (scores.get(tag) ?? 0) + 2);
    if (/[._-](?:test|spec)\.|_test\./.test(file)) scores.set("testing", (scores.get("testing") ?? 0) + 2);
    if (/dockerfile|docker-compose/.test(file)) scores.set("devops", (scores.get("devops") ?? 0) + 3);
  }
  if (/^Traceback \(most recent/m.test(reading.all)) scores.set("python", (scores.get("python") ?? 0) + 3);
  return ranked(scores)
    .filter(([, weight]) => weight >= 2)
    .slice(0, DOMAIN_MAX)
    .map(([tag]) => tag);
}

type Flag = "destructive" | "production" | "security-sensitive" | "personal-data" | "multi-file";

/** Every flag that can come out of it, the heaviest first: only two are kept. */
export const LOCAL_FLAGS: readonly Flag[] = [
  "destructive",
  "production",
  "security-sensitive",
  "personal-data",
  "multi-file",
];

const FLAGS: Vocabulary<Flag> = vocabulary({
  destructive: `drop_the drop_all drop_table drop_database delete_all delete_the_database delete_every delete_everything wipe purge prune
    destroy truncate_the truncate_table erase overwrite_all force_push hard_reset factory_reset remove_all remove_everything`,
  production: "production prod outage live_system live_site live_database live_server all_customers",
  "security-sensitive": `password credential secret api_key oauth encrypt encrypted encryption certificate tls ssl vulnerability exploit
    authentication authorization private_key ssh_key access_token refresh_token jwt argon2 firewall security cve xss csrf sql_injection
    permissions access_control sso two-factor revoke leaked token_was`,
  "personal-data": `patient social_security date_of_birth phone_number home_address passport salary medical_record gdpr credit_card
    personal_data bank_account customer_data`,
  "multi-file": `across_the_codebase the_codebase whole_codebase all_files all_modules all_components every_file every_module
    several_files multiple_files whole_package whole_project entire_project entire_codebase entire_repo whole_repo monorepo-wide`,
});

const DESTRUCTIVE_COMMAND =
  /\brm -[a-z]{0,4}[rf]|\bdrop (?:table|database|schema|user)\b|\bgit push (?:-f\b|--force)|\bgit reset --hard|\bkubectl delete\b|\bterraform destroy\b|\bsystem prune\b|\bmkfs\b|\bdd if=|\btruncate table\b/i;
const SEVERAL_FILES =
  /\b(?:[2-9]|[1-9]\d{1,4}|dozens of|hundreds of|many) (?:files|modules|packages|repos|repositories)\b/i;

/** At most two. They can only make things stricter, so a doubtful one is given. */
export function classifyFlags(reading: Reading): readonly string[] {
  const found = new Set<Flag>(score(reading.words, FLAGS).keys());
  if (DESTRUCTIVE_COMMAND.test(reading.all)) found.add("destructive");
  if (SEVERAL_FILES.test(reading.prose) || reading.files.length > 2) found.add("multi-file");
  return LOCAL_FLAGS.filter((flag) => found.has(flag)).slice(0, FLAGS_MAX);
}
