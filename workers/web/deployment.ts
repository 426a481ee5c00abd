import { createHash } from "node:crypto";
import type { Site } from "../../app/site/site.ts";
import { findDeploymentBreaches, isDemoProject, isEmbedded, listSecrets } from "../verifier/deployment.ts";
import { readSite } from "./site.ts";
import { VisitorPages } from "./visitor-pages.ts";

export interface Deployed {
  site: Site;
  pages: VisitorPages;
}

/** Reads the site's description from the bindings. Returns the reasons why this deployment must not serve, if any. */
export function readDeployment(env: WebEnv): Deployed | { site: null; breaches: string[] } {
  const described = readSite(env.SITE, env.ENVIRONMENT);
  const breaches = [...breachesOf(env), ...described.breaches];
  if (!("site" in described) || breaches.length > 0) return { site: null, breaches };
  const site = {
    ...described.site,
    // Does not wait for the secret: the privacy notice must name Google before the first event is sent.
    is_google_told: Boolean(env.TAG_ID),
    has_recaptcha: !isEmbedded(env.IDENTITY_TOOLKIT_URL),
    has_outside_ways: isDemoProject(env.PROJECT_ID) || !isEmbedded(env.IDENTITY_TOOLKIT_URL),
    takes_money: env.MONEY !== "off",
    has_firestore: env.SIGN_OUT_WATCH === "firestore",
  };
  return { site, pages: new VisitorPages(renderingKey(env)) };
}

/**
 * Returns a name for everything a shared page depends on besides its data: the build, the site's description, the
 * outlets, and the key that signs outbound links. A copy stored under another name is never served.
 */
function renderingKey(env: WebEnv): string {
  const { SITE, TAG_ID, IDENTITY_TOOLKIT_URL, SIGN_OUT_WATCH, MONEY } = env;
  const [signing_key] = env.SESSION_KEYS.split(",");
  const configured = createHash("sha256")
    .update(JSON.stringify([SITE, TAG_ID, IDENTITY_TOOLKIT_URL, SIGN_OUT_WATCH, MONEY, signing_key]))
    .digest("hex")
    .slice(0, 16);
  return `${import.meta.env.VITE_BUILD_ID}.${configured}`;
}

function breachesOf(env: WebEnv): string[] {
  return findDeploymentBreaches({
    environment: env.ENVIRONMENT,
    project_id: env.PROJECT_ID,
    jwks_url: env.JWKS_URL,
    has_embedded_provider: isEmbedded(env.IDENTITY_TOOLKIT_URL) || isEmbedded(env.SECURE_TOKEN_URL),
    provider_urls: [env.IDENTITY_TOOLKIT_URL, env.SECURE_TOKEN_URL],
    has_embedded_gateway: "GATEWAY" in env,
    secrets: { ...listSecrets("SESSION_KEYS", env.SESSION_KEYS), IDENTITY_API_KEY: env.IDENTITY_API_KEY },
  });
}
