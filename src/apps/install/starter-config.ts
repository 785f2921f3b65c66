/** The first `conduct.yaml`: short, and every commented-out line says what it would do. */
export const STARTER_CONFIG = `# What your coding agents are bound to. Check it with: conduct config check ~/.conduct/conduct.yaml
# A change counts from the next moment on; nothing has to be restarted. Format: conduct config schema
agents:
  coding:
    # Ready-made rules (packs/coding/rules.yaml): read before you write, tests before commits and pushes, no secrets in
    # commits, no force pushes, and a question before what cannot be taken back.
    # How strict: { pack: packs/coding, level: gentle } with gentle (only warns), standard (the default) or strict.
    # Without one rule: { pack: packs/coding, off: [patch-asks] }
    rules:
      - packs/coding
      # A rule of your own: no deployment without a build in the same session.
      # - { id: deploy-needs-build, on: deploys.run, require: { call: builds.run }, say: "Build it first." }

    # Commands of your project that Conduct does not know. The usual test, build and lint commands are known.
    actions:
      make-check: { tool: shell, command: "make check *", implies: [tests.run] }
      # publish-site: { tool: shell, command: "./go-live.sh *", implies: [deploys.run] }

    # What the agent is told, beside what the runtime tells it.
    # promptContributors:
    #   - id: house-style
    #     content: |
    #       Small commits. No new dependency without asking.

    # When it may say that it is done.
    # completion: { command: "npm test" }

    # How much it may use before it has to stop.
    # limits: { calls: 500, deadline: 2h }
`;
