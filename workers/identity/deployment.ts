import { deploymentBreaches, isLocal } from "../verifier/deployment.ts";

/** Whether accounts are kept here (the embedded provider) or by Firebase. Only a local deployment keeps its own; production has Firebase. */
export function servesProvider(env: Pick<IdentityEnv, "ENVIRONMENT">): boolean {
  return isLocal(env.ENVIRONMENT);
}

/** Why this deployment may not answer anything; empty when it may. */
export function breachesOf(env: IdentityEnv): string[] {
  const { IDENTITY_API_KEY, PIB_API_KEY, ENCRYPTION_KEY } = env;
  return deploymentBreaches({
    environment: env.ENVIRONMENT,
    project_id: env.PROJECT_ID,
    jwks_url: env.JWKS_URL,
    has_embedded_provider: servesProvider(env),
    secrets: { IDENTITY_API_KEY, PIB_API_KEY, ENCRYPTION_KEY },
  });
}
