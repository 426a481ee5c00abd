/**
 * The settings that a worker checks before it serves. A production worker with unsafe settings refuses every request.
 * Source: field notes, "Identity": no `demo-*` project, no foreign JWKS host, no embedded provider, no default secret.
 * The embedded payment gateway is for a demo alone: product decisions, "Money speaks Stripe's API".
 */
export interface Deployment {
  /** `local` on a developer's machine. Everything else, also a misspelt name, counts as production. */
  environment: string;
  project_id: string;
  jwks_url: string;
  /** Whether this worker would serve or use the embedded identity provider. */
  has_embedded_provider: boolean;
  /** Where this worker sends passwords and refresh tokens. */
  provider_urls?: readonly string[];
  /** Whether this worker would be, or use, the embedded payment gateway. */
  has_embedded_gateway: boolean;
  /** Secrets by the name of their variable. Production requires all of them. */
  secrets: Readonly<Record<string, string | undefined>>;
}

/** The host by which other workers reach the identity service and its embedded provider, through a service binding. */
const EMBEDDED_HOST = "identity.internal";
export const IDENTITY_ORIGIN = `http://${EMBEDDED_HOST}`;
/** The path at which the identity service tells the API whether the sign-in of a token is still active. */
export const SIGN_IN_STATE_PATH = "/sign-in-state";
/** As {@link SIGN_IN_STATE_PATH}, for a sign-in whose token the API does not have. */
export const SIGN_IN_CHECK_PATH = "/sign-in-check";
const GOOGLE_KEYS_HOST = "www.googleapis.com";
/** Firebase's. Source: docs/decisions/0052, "Not on Cloudflare". */
const PROVIDER_ORIGINS = ["https://identitytoolkit.googleapis.com", "https://securetoken.googleapis.com"];
export const MIN_SECRET_LENGTH = 32;

/**
 * Whether a deployment runs on a developer's machine. Demo projects and the embedded provider are allowed only there.
 */
export function isLocal(environment: string): boolean {
  return environment === "local";
}

/**
 * Whether the project is a demo, where anybody may read sent mail and sign in as anybody. Everything that only a demo
 * does checks this. No production deployment may have such a project.
 */
export function isDemoProject(project_id: string): boolean {
  return project_id.startsWith("demo-");
}

/**
 * Whether a URL belongs to the embedded provider. Workers reach it through the service binding and not over the
 * network.
 */
export function isEmbedded(url: string): boolean {
  return URL.canParse(url) && new URL(url).host === EMBEDDED_HOST;
}

/** Whether a secret is missing, short or a default. */
export function isWeakSecret(secret: string | undefined): boolean {
  return !secret || secret.length < MIN_SECRET_LENGTH || /^(test|local|default)-/.test(secret);
}

/**
 * Splits a `kid:secret,kid:secret` list into secrets named `NAME[0]`, `NAME[1]` and so on, so that each one is checked.
 */
export function listSecrets(name: string, list: string | undefined): Record<string, string | undefined> {
  const secrets = (list ?? "").split(",").map((pair) => pair.split(":")[1]?.trim());
  return Object.fromEntries(secrets.map((secret, index) => [`${name}[${index}]`, secret]));
}

/** Whether a deployment may have the embedded payment gateway: only a demo on a developer's machine. */
export function mayEmbedGateway({ environment, project_id }: Pick<Deployment, "environment" | "project_id">): boolean {
  return isLocal(environment) && isDemoProject(project_id);
}

/** Lists the reasons why a deployment must not serve, as sentences for the log. The list is empty when it may. */
export function findDeploymentBreaches(deployment: Deployment): string[] {
  const breaches: string[] = [];
  if (deployment.has_embedded_gateway && !mayEmbedGateway(deployment)) {
    breaches.push("the embedded payment gateway is enabled");
  }
  if (isLocal(deployment.environment)) return breaches;
  if (deployment.project_id === "" || isDemoProject(deployment.project_id)) {
    breaches.push(`project id "${deployment.project_id}" is not a production project`);
  }
  if (!URL.canParse(deployment.jwks_url) || new URL(deployment.jwks_url).host !== GOOGLE_KEYS_HOST) {
    breaches.push(`JWKS must come from ${GOOGLE_KEYS_HOST}`);
  }
  if (deployment.has_embedded_provider) breaches.push("the embedded identity provider is enabled");
  for (const url of deployment.provider_urls ?? []) {
    if (!PROVIDER_ORIGINS.includes(url)) breaches.push(`"${url}" is not an identity provider of production`);
  }
  for (const [name, secret] of Object.entries(deployment.secrets)) {
    if (isWeakSecret(secret)) {
      breaches.push(`secret ${name} is missing, short or a default`);
    }
  }
  return breaches;
}
