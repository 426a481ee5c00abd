import { findDeploymentBreaches, isDemoProject, isLocal } from "../verifier/deployment.ts";

/**
 * Returns true when the embedded provider keeps the accounts, false when Firebase does. Only a local deployment keeps
 * its own accounts; production uses Firebase.
 */
export function servesProvider(env: Pick<IdentityEnv, "ENVIRONMENT">): boolean {
  return isLocal(env.ENVIRONMENT);
}

/**
 * Returns true for a demo, where anybody may sign in as anybody: the mail outbox is public, and the developer identity
 * provider believes every claim.
 */
export function isDemo(env: Pick<IdentityEnv, "ENVIRONMENT" | "PROJECT_ID">): boolean {
  return servesProvider(env) && isDemoProject(env.PROJECT_ID);
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Returns true when the address is on the site that mails link to. Locally, every name of the machine (localhost,
 * 127.0.0.1) counts.
 */
export function isOwnAddress({ ACTION_URL }: Pick<IdentityEnv, "ACTION_URL">, address: string): boolean {
  if (!URL.canParse(address) || !URL.canParse(ACTION_URL)) return false;
  const [own, asked] = [new URL(ACTION_URL), new URL(address)];
  if (asked.username || asked.password) return false;
  if (own.origin === asked.origin) return true;
  const is_here = LOOPBACK.has(own.hostname) && LOOPBACK.has(asked.hostname);
  return is_here && own.protocol === asked.protocol && own.port === asked.port;
}

/** Returns the reasons why this deployment must refuse every request; empty when it may serve. */
export function breachesOf(env: IdentityEnv): string[] {
  const { IDENTITY_API_KEY, PIB_API_KEY, ENCRYPTION_KEY } = env;
  return findDeploymentBreaches({
    environment: env.ENVIRONMENT,
    project_id: env.PROJECT_ID,
    jwks_url: env.JWKS_URL,
    has_embedded_provider: servesProvider(env),
    has_embedded_gateway: false,
    secrets: { IDENTITY_API_KEY, PIB_API_KEY, ENCRYPTION_KEY },
  });
}
