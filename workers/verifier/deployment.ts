/**
 * What a production deployment must not be: a worker refuses every request until it is mended.
 * Source: field notes, "Identity": no `demo-*` project, no foreign JWKS host, no embedded provider, no default secret.
 */
export interface Deployment {
  /** `production` unless a local runner says otherwise. */
  environment: string;
  project_id: string;
  jwks_url: string;
  /** Whether this worker would serve or use the embedded identity provider. */
  has_embedded_provider: boolean;
  /** Secrets by the name of their variable; all of them must be set. */
  secrets: Readonly<Record<string, string | undefined>>;
}

const GOOGLE_KEYS_HOST = "www.googleapis.com";
const MIN_SECRET_LENGTH = 32;

/** The breaches, each a sentence for the log; empty when the deployment may serve. */
export function deploymentBreaches(deployment: Deployment): string[] {
  if (deployment.environment !== "production") return [];
  const breaches: string[] = [];
  if (deployment.project_id === "" || deployment.project_id.startsWith("demo-")) {
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
