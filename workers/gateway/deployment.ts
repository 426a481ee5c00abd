import { mayEmbedGateway } from "../verifier/deployment.ts";

/** Whether this worker may serve: only for a demo project on one machine, where no money moves. */
export function mayServe(env: GatewayEnv): boolean {
  return mayEmbedGateway({ environment: env.ENVIRONMENT, project_id: env.PROJECT_ID });
}
