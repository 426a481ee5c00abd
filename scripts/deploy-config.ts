/** Combines the built workers with the settings of the account that they are deployed to. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { dirname, join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { readMailSettings } from "../workers/mails/deployment.ts";
import { findDeploymentBreaches, isEmbedded } from "../workers/verifier/deployment.ts";
import { readSite } from "../workers/web/site.ts";
import { limitFaults, maintenanceFaults } from "./setting-rules.ts";

const root = resolve(import.meta.dirname, "..");

/** The workers of a deployment, in its order: a worker comes before the workers that call it. */
const workers = [
  { built: "dist/ofuse_mails/wrangler.json", databases: { DB: "MAILS_DATABASE_ID" } },
  { built: "dist/ofuse_identity/wrangler.json", databases: { DB: "IDENTITY_DATABASE_ID" } },
  { built: "dist/ofuse_pictures/wrangler.json", databases: {} },
  { built: "dist/ofuse_radio/wrangler.json", databases: {} },
  { built: "dist/ofuse_api/wrangler.json", databases: { DB: "API_DATABASE_ID", SEARCH: "SEARCH_DATABASE_ID" } },
  { built: "dist/ofuse_share_images/wrangler.json", databases: {} },
  { built: "build/server/wrangler.json", databases: {} },
] as const satisfies { built: string; databases: Record<string, string> }[];

/** The settings that differ from account to account. Source: deploy/production.env.example. */
const settingNames = [
  "PROJECT_ID",
  "API_DATABASE_ID",
  "SEARCH_DATABASE_ID",
  "IDENTITY_DATABASE_ID",
  "MAILS_DATABASE_ID",
  "SITE_DOMAIN",
  "V4_ORIGIN",
  "EVENTS_DATASET",
  "TAG_ID",
  "MAINTENANCE",
  "SIGN_OUT_WATCH",
  "MONEY",
  "MAIL_END",
  "MAIL_FROM",
  "MAIL_FROM_NAME",
  "MAILS_PER_SECOND",
  "SMTP_HOST",
  "SMTP_PORT",
  "SMTP_USER",
  "SMTP_TLS",
] as const;
/** `SITE` is JSON. Source: deploy/site.example.json. */
export type DeploySettings = Partial<Record<(typeof settingNames)[number] | "SITE", string>>;

/** The value of SITE_DOMAIN for a site that has only its workers.dev domain. */
const NO_DOMAIN = "none";

/**
 * The bytes that Cloudflare takes for one variable. Source: Cloudflare Workers, "Limits", "Environment variables": 5 KB. It does
 * not say whether that is 5,000 or 5,120, so this is the smaller.
 */
const MAX_VARIABLE_BYTES = 5000;

/** The fields of a built wrangler.json that this file reads or changes. */
export interface WorkerConfig {
  name: string;
  vars: Record<string, string>;
  secrets?: { required?: string[] };
  triggers: { crons?: string[] };
  /** `migrations_dir` is relative to the folder of the config. */
  d1_databases: { binding: string; database_name: string; database_id: string; migrations_dir: string }[];
  r2_buckets: { binding: string; bucket_name: string }[];
  services: { binding: string; service: string }[];
  durable_objects?: { bindings: { name: string; class_name: string }[] };
  assets?: { binding: string };
  analytics_engine_datasets?: { binding: string; dataset: string }[];
  workers_dev?: boolean;
  routes?: { pattern: string; custom_domain: boolean }[];
}

export interface DeployedWorker {
  config: WorkerConfig;
  /** The path of the config for wrangler. It lies beside the built one, so that relative paths in it stay valid. */
  path: string;
}

/** Reads the settings: the environment wins over deploy/production.env and deploy/site.json. */
export function readDeploySettings(environment: NodeJS.ProcessEnv): DeploySettings {
  const file = join(root, "deploy", "production.env");
  const kept = existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {};
  const site = join(root, "deploy", "site.json");
  return {
    ...Object.fromEntries(settingNames.map((name) => [name, environment[name] ?? kept[name] ?? ""])),
    SITE: minifyJson(environment.SITE ?? (existsSync(site) ? readFileSync(site, "utf8") : "")),
  };
}

/** Returns the text unchanged when it is no JSON: {@link configRefusals} says so. */
function minifyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

/** Reads the built workers and fills the settings in. Throws when there is no build. */
export function readDeployment(settings: DeploySettings): DeployedWorker[] {
  return workers.map(({ built, databases }) => {
    const config = JSON.parse(readFileSync(join(root, built), "utf8")) as WorkerConfig;
    for (const [name, setting] of Object.entries(settings)) {
      if (name in config.vars && setting) config.vars[name] = setting;
    }
    const settingOf: Partial<Record<string, keyof DeploySettings>> = databases;
    for (const d1 of config.d1_databases) {
      const setting = settingOf[d1.binding];
      d1.database_id = (setting && settings[setting]) || d1.database_id;
    }
    if ("SITE_ORIGIN" in config.vars && settings.SITE_DOMAIN && settings.SITE_DOMAIN !== NO_DOMAIN) {
      config.vars.SITE_ORIGIN = `https://${settings.SITE_DOMAIN}`;
    }
    if (config.assets && settings.SITE_DOMAIN) {
      config.workers_dev = settings.SITE_DOMAIN === NO_DOMAIN;
      if (!config.workers_dev) config.routes = [{ pattern: settings.SITE_DOMAIN, custom_domain: true }];
    }
    if (config.assets && settings.EVENTS_DATASET) {
      config.analytics_engine_datasets = [{ binding: "EVENTS", dataset: settings.EVENTS_DATASET }];
    }
    return { config, path: join(root, dirname(built), "wrangler.deploy.json") };
  });
}

/** Writes the configs that wrangler reads. */
export function writeDeployment(deployment: readonly DeployedWorker[]): void {
  for (const { config, path } of deployment) writeFileSync(path, JSON.stringify(config));
}

/** A part of a host name between its dots. Source: RFC 1123, section 2.1. */
const HOST_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Whether an origin is https and on a public host. Members' tokens are sent to it. */
export function isPublicOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname, origin: normal } = new URL(origin);
  // No authority issues certificates for a name without a dot or under one of these names, and few do for an IP
  // address.
  const is_private = /^[^.]*$|\.(localhost|local|internal|lan|home\.arpa)$/.test(hostname);
  const is_name = hostname.length <= 253 && hostname.split(".").every((label) => HOST_LABEL.test(label));
  return protocol === "https:" && origin === normal && is_name && !is_private && isIP(hostname) === 0;
}

/** Whether a worker has the variable ENVIRONMENT. A worker without data and keys does not need it. */
const knowsDeployment = ({ vars }: WorkerConfig) => "ENVIRONMENT" in vars;

/** Returns a reason for each variable that Cloudflare would refuse. */
function oversizedVariables(vars: Record<string, string>): string[] {
  return Object.entries(vars).flatMap(([variable, value]) => {
    const bytes = Buffer.byteLength(value);
    const reason = `${variable} has ${bytes} bytes, and Cloudflare takes ${MAX_VARIABLE_BYTES} in one variable: shorten it`;
    return bytes > MAX_VARIABLE_BYTES ? [reason] : [];
  });
}

/** Returns the reasons why the mails worker would refuse its settings. The secrets belong to the names that are set. */
function mailBreaches(vars: Record<string, string>): string[] {
  const secrets = { SMTP_PASSWORD: vars.SMTP_USER, RESEND_API_KEY: "set by wrangler" };
  return readMailSettings({ ...vars, ...secrets } as unknown as MailsEnv).breaches;
}

/** Returns a sentence for each reason why a worker cannot be deployed with its config; empty when it can. */
export function configRefusals(config: WorkerConfig): string[] {
  const { name, vars, d1_databases, assets, routes, workers_dev } = config;
  if (!knowsDeployment(config)) return [];
  const { ENVIRONMENT = "", PROJECT_ID = "", V4_ORIGIN = "" } = vars;
  const { JWKS_URL = "", IDENTITY_TOOLKIT_URL = "", SECURE_TOKEN_URL = "" } = vars;
  return [
    ...(ENVIRONMENT === "production" ? [] : [`ENVIRONMENT is "${ENVIRONMENT}"`]),
    ...oversizedVariables(vars),
    // The worker refuses its first request for the same reasons. Its secrets are unknown here.
    ...("MAIL_END" in vars ? mailBreaches(vars) : []),
    ...("JWKS_URL" in vars
      ? findDeploymentBreaches({
          environment: "production",
          project_id: PROJECT_ID,
          jwks_url: JWKS_URL,
          has_embedded_provider: isEmbedded(IDENTITY_TOOLKIT_URL) || isEmbedded(SECURE_TOKEN_URL),
          provider_urls: "IDENTITY_TOOLKIT_URL" in vars ? [IDENTITY_TOOLKIT_URL, SECURE_TOKEN_URL] : [],
          has_embedded_gateway: config.services.some(({ binding }) => binding === "GATEWAY"),
          secrets: {},
        })
      : []),
    ...(assets ? readSite(vars.SITE ?? "", "production").breaches : []),
    ...d1_databases.flatMap(({ database_name, database_id }) =>
      /^(00000000-.*)?$/.test(database_id) ? [`the database ${database_name} has no id of an account`] : [],
    ),
    ...(V4_ORIGIN === "" || isPublicOrigin(V4_ORIGIN)
      ? []
      : [`V4_ORIGIN "${V4_ORIGIN}" is not the https origin of a public host`]),
    ...(/^(socket|firestore)?$/.test(vars.SIGN_OUT_WATCH ?? "")
      ? []
      : [`SIGN_OUT_WATCH "${vars.SIGN_OUT_WATCH}" is neither "socket" nor "firestore"`]),
    ...(/^(on|off)?$/.test(vars.MONEY ?? "") ? [] : [`MONEY "${vars.MONEY}" is neither "on" nor "off"`]),
    ...[limitFaults, maintenanceFaults].flatMap((faultsOf) => faultsOf((variable) => vars[variable])),
    ...(routes ?? []).flatMap(({ pattern }) =>
      isPublicOrigin(`https://${pattern}`) ? [] : [`SITE_DOMAIN "${pattern}" is no public host name`],
    ),
    ...(assets && !routes && !workers_dev ? [`SITE_DOMAIN is empty; "${NO_DOMAIN}" deploys to workers.dev`] : []),
  ].map((reason) => `${name}: ${reason}. See deploy/production.env.example.`);
}

/** Returns a line for each binding of a worker, so that an operator can compare them with the dashboard. */
export function describeWorker({ config }: DeployedWorker): string[] {
  const { name, vars, routes = [], analytics_engine_datasets: datasets = [], workers_dev } = config;
  return [
    ...(knowsDeployment(config) ? [`project  ${vars.PROJECT_ID}`] : []),
    ...("V4_ORIGIN" in vars ? [`/v4      ${vars.V4_ORIGIN || "by service binding"}`] : []),
    ...("MAIL_END" in vars ? [`mail     ${vars.MAIL_END || "off: mails wait until MAIL_END is set"}`] : []),
    ...(vars.MAINTENANCE ? [`closed   ${vars.MAINTENANCE}`] : []),
    ...config.d1_databases.map((d1) => `database ${d1.binding} = ${d1.database_name} (${d1.database_id})`),
    ...config.r2_buckets.map((r2) => `bucket   ${r2.binding} = ${r2.bucket_name}`),
    ...config.services.map(({ binding, service }) => `service  ${binding} = ${service}`),
    ...(config.durable_objects?.bindings ?? []).map((object) => `object   ${object.name} = ${object.class_name}`),
    ...("SIGN_OUT_WATCH" in vars ? [`watch    ${vars.SIGN_OUT_WATCH}`] : []),
    ...datasets.map(({ binding, dataset }) => `dataset  ${binding} = ${dataset}`),
    ...(vars.TAG_ID ? [`tag      ${vars.TAG_ID}`] : []),
    ...(config.triggers.crons ?? []).map((cron) => `cron     ${cron}`),
    ...routes.map(({ pattern }) => `domain   ${pattern}`),
    ...(workers_dev ? [`domain   ${name}.<account>.workers.dev: no copies of visitors' pages are kept there`] : []),
    ...(config.secrets?.required ?? []).map((secret) => `secret   ${secret}`),
  ];
}
