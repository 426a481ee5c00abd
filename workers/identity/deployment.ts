import { findDeploymentBreaches, isDemoProject, isLocal } from "../verifier/deployment.ts";

/** Whether accounts are kept here (the embedded provider) or by Firebase. Only a local deployment keeps its own; production has Firebase. */
export function servesProvider(env: Pick<IdentityEnv, "ENVIRONMENT">): boolean {
  return isLocal(env.ENVIRONMENT);
}

/** Whether anybody may pass for anybody here: the outbox is open, and the developer identity provider believes what it is told. */
export function isDemo(env: Pick<IdentityEnv, "ENVIRONMENT" | "PROJECT_ID">): boolean {
  return servesProvider(env) && isDemoProject(env.PROJECT_ID);
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Whether the address is of the site the mails lead to, under any name of one's own machine. */
export function isOwnAddress({ ACTION_URL }: Pick<IdentityEnv, "ACTION_URL">, address: string): boolean {
  if (!URL.canParse(address) || !URL.canParse(ACTION_URL)) return false;
  const [own, asked] = [new URL(ACTION_URL), new URL(address)];
  if (asked.username || asked.password) return false;
  if (own.origin === asked.origin) return true;
  const is_here = LOOPBACK.has(own.hostname) && LOOPBACK.has(asked.hostname);
  return is_here && own.protocol === asked.protocol && own.port === asked.port;
}

/** Why this deployment may not answer anything; empty when it may. */
export function breachesOf(env: IdentityEnv): string[] {
  const { IDENTITY_API_KEY, PIB_API_KEY, ENCRYPTION_KEY } = env;
  return findDeploymentBreaches({
    environment: env.ENVIRONMENT,
    project_id: env.PROJECT_ID,
    jwks_url: env.JWKS_URL,
    has_embedded_provider: servesProvider(env),
    secrets: { IDENTITY_API_KEY, PIB_API_KEY, ENCRYPTION_KEY },
  });
}
