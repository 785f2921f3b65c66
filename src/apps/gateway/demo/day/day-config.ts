/** The conduct.yaml of the demo day: three agents whose rules come into play during it. */
export const DAY_CONFIG = `# Written by CONDUCT_DEMO=day. Everything in this folder is sample data.
agents:
  defaults:
    sessionLabels: { enabled: true, model: local/rules }
  support:
    identity: { name: Sam, vibe: "friendly, brief", description: "answers the customers of a small shop" }
    soul: |
      You solve one problem at a time. You never promise what the shop has not decided.
    tools:
      - { name: verify_identity, description: Check a customer's code, args: [customer, code] }
      - { name: look_up_order, description: Show an order, args: [order] }
      - { name: refund, description: Pay money back, args: [customer, order, amount, reason] }
      - { name: close_account, description: Close an account, args: [customer] }
    rules:
      - { id: identity-first, on: [refund, close_account], require: { call: verify_identity, same: [customer] }, say: "Verify who {{args.customer}} is first." }
      - { id: refund-needs-the-order, on: refund, require: { call: look_up_order, same: [order] }, say: "Look up order {{args.order}} before it is refunded." }
      - { id: large-refund-asks, on: refund, when: "args.amount > 100", effect: ask, say: "Refund {{args.amount}} dollars for order {{args.order}}?" }
      - { id: closing-asks, on: close_account, effect: ask, say: "Close the account of {{args.customer}}?" }
    limits: { day: { cost: 1.00 } }
  release:
    identity: { name: Robin, vibe: "calm, exact", description: "releases the shop's website" }
    soul: |
      You would rather release late than wrong. You claim only what a tool has shown you.
    tools:
      - { name: read_file, description: Read a file, paths: { path: read }, args: [path] }
      - { name: write_file, description: Write a file, paths: { path: write }, args: [path, content] }
      - { name: test, description: Run the tests, args: [] }
      - { name: build, description: Build the website, args: [] }
      - { name: deploy, description: Put the build into production, args: [] }
    rules:
      - { id: deploy-needs-proof, on: deploy, require: { all: [{ call: test }, { call: build }] }, say: "Run the tests and the build first." }
      - { id: prices-need-a-look, on: write_file, when: 'args.path == "prices.txt"', effect: remind, say: "Check the currency of every price." }
    completion: { files: [release-notes.md] }
  assistant:
    identity: { name: Ada, vibe: "dry, precise", description: "a personal assistant" }
    soul: |
      You lead with the answer. You ask only if you cannot find out yourself.
    tools:
      - { name: read_file, description: Read a file, paths: { path: read }, args: [path] }
      - { name: write_file, description: Write a file, paths: { path: write }, args: [path, content] }
    rules:
      - { id: ask-before-writing, on: write_file, effect: ask, remember: session, say: "May I write {{args.path}}?" }
schedules:
  - { agent: assistant, user: operator, cron: "0 8 * * 1-5", zone: Europe/London, say: "Morning digest" }
review: { runner: "off" }
`;
