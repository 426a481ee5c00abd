/**
 * What a production deployment must not be: a worker refuses every request until it is mended.
 * Source: field notes, "Identity": no `demo-*` project, no foreign JWKS host, no embedded provider, no default secret.
 */
export interface Deployment {
  /** `local` on one's own machine. Everything else, a misspelt name too, is held to be production. */
  environment: string;
  project_id: string;
  jwks_url: string;
  /** Whether this worker would serve or use the embedded identity provider. */
  has_embedded_provider: boolean;
  /** Secrets by the name of their variable; all of them must be set. */
  secrets: Readonly<Record<string, string | undefined>>;
}

/** Where the embedded provider and the identity service are known to the other workers: reached by a service binding. */
const EMBEDDED_HOST = "identity.internal";
export const IDENTITY_ORIGIN = `http://${EMBEDDED_HOST}`;
/** Where identity tells the product API whether a token's sign-in goes on. */
export const SIGN_IN_STATE_PATH = "/sign-in-state";
const GOOGLE_KEYS_HOST = "www.googleapis.com";
const MIN_SECRET_LENGTH = 32;

/** Whether a deployment runs on one's own machine, where demo projects and the embedded provider belong. */
export function isLocal(environment: string): boolean {
  return environment === "local";
}

/**
 * Whether the project is a demo, where anybody may read the outbox and pass for anybody. Everything that only a demo does
 * asks this: no production deployment may have such a project.
 */
export function isDemoProject(project_id: string): boolean {
  return project_id.startsWith("demo-");
}

/** Whether the URL is the embedded provider's, to be reached by the service binding and not over the network. */
export function isEmbedded(url: string): boolean {
  return URL.canParse(url) && new URL(url).host === EMBEDDED_HOST;
}

/** The secrets of a `kid:secret,kid:secret` list under names of their own: each must be a good one. */
export function listedSecrets(name: string, list: string | undefined): Record<string, string | undefined> {
  const secrets = (list ?? "").split(",").map((pair) => pair.split(":")[1]?.trim());
  return Object.fromEntries(secrets.map((secret, index) => [`${name}[${index}]`, secret]));
}

/** The breaches, each a sentence for the log; empty when the deployment may serve. */
export function deploymentBreaches(deployment: Deployment): string[] {
  if (isLocal(deployment.environment)) return [];
  const breaches: string[] = [];
  if (deployment.project_id === "" || isDemoProject(deployment.project_id)) {
    breaches.push(`project id "${deployment.project_id}" is not a production project`);
  }
  if (!URL.canParse(deployment.jwks_url) || new URL(deployment.jwks_url).host !== GOOGLE_KEYS_HOST) {
    breaches.push(`JWKS must come from ${GOOGLE_KEYS_HOST}`);
  }
  if (deployment.has_embedded_provider) breaches.push("the embedded identity provider is enabled");
  for (const [name, secret] of Object.entries(deployment.secrets)) {
    if (!secret || secret.length < MIN_SECRET_LENGTH || /^(test|local|default)-/.test(secret)) {
      breaches.push(`secret ${name} is missing, short or a default`);
    }
  }
  return breaches;
}
