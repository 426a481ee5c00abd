import type { Edge } from "../../app/middleware/context.ts";
import { IdentityToolkit } from "../../app/session/identity-toolkit.ts";
import { SessionKeys } from "../../app/session/session.ts";
import { IDENTITY_ORIGIN, isEmbedded } from "../verifier/deployment.ts";

const API_ORIGIN = "http://api.internal";

/** A fetch that knows the embedded provider's host. */
function identityFetch(env: WebEnv) {
  return (input: string, init?: RequestInit): Promise<Response> =>
    isEmbedded(input) ? env.IDENTITY.fetch(input, init) : fetch(input, init);
}

const TIME_LIMIT_MS = 5000;

/** What the app may use for one request, made from the worker's bindings. The app never sees a binding. */
export function edgeOf(env: WebEnv, request_id: string, client_address: string | null, device = ""): Edge {
  let limit: AbortSignal | undefined;
  const is_demo = env.PROJECT_ID.startsWith("demo-");
  const fetchIdentity = identityFetch(env);
  const mails = `${IDENTITY_ORIGIN}/emulator/v1/projects/${env.PROJECT_ID}/mails`;
  // Both services limit by address, and what they see otherwise is this worker.
  const withAddress = (init?: { headers?: HeadersInit }): { headers: Headers } => {
    const headers = new Headers(init?.headers);
    if (client_address) headers.set("cf-connecting-ip", client_address);
    return { headers };
  };
  return {
    request_id,
    is_demo,
    transport: {
      ...(env.V4_ORIGIN
        ? { origin: env.V4_ORIGIN, fetch: (request) => fetch(request) }
        : { origin: API_ORIGIN, fetch: (request) => env.API.fetch(new Request(request, withAddress(request))) }),
      limit: () => {
        limit ??= AbortSignal.timeout(TIME_LIMIT_MS);
        return limit;
      },
    },
    toolkit: new IdentityToolkit({
      toolkit_url: env.IDENTITY_TOOLKIT_URL,
      secure_token_url: env.SECURE_TOKEN_URL,
      api_key: env.IDENTITY_API_KEY,
      device: isEmbedded(env.IDENTITY_TOOLKIT_URL) ? device : "",
      fetch: (input, init) => fetchIdentity(input, isEmbedded(input) ? { ...init, ...withAddress(init) } : init),
    }),
    verifier: { project_id: env.PROJECT_ID, jwks_url: env.JWKS_URL, fetch: fetchIdentity },
    session_keys: new SessionKeys(env.SESSION_KEYS),
    recaptcha: isEmbedded(env.IDENTITY_TOOLKIT_URL)
      ? null
      : { api_key: env.IDENTITY_API_KEY, project_id: env.PROJECT_ID },
    readMails: is_demo && isEmbedded(env.JWKS_URL) ? () => env.IDENTITY.fetch(mails) : null,
    identity: (request) => env.IDENTITY.fetch(request),
  };
}
