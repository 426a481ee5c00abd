import { waitUntil } from "cloudflare:workers";
import type { Edge, SignInStatus, SignOutMemo } from "../../app/request/context.ts";
import { SessionKeys } from "../../app/session/session.ts";
import { SignInMemo } from "../kernel/sign-in-memo.ts";
import { IDENTITY_ORIGIN, isDemoProject, isEmbedded } from "../verifier/deployment.ts";
import { renewTokens } from "./renewals.ts";
import { identityFetch, toolkitOf, withAddress } from "./toolkit.ts";

const API_ORIGIN = "http://api.internal";

const TIME_LIMIT_MS = 5000;
const signOutAnswers: SignOutMemo = new SignInMemo<SignInStatus>("signed_out");

/** What the app may use for one request, made from the worker's bindings. The app never sees a binding. */
export function edgeOf(env: WebEnv, request_id: string, client_address: string | null, device = ""): Edge {
  let limit: AbortSignal | undefined;
  const is_demo = isDemoProject(env.PROJECT_ID);
  const fetchIdentity = identityFetch(env);
  const mails = `${IDENTITY_ORIGIN}/emulator/v1/projects/${env.PROJECT_ID}/mails`;
  const toolkit = toolkitOf(env, client_address, device);
  return {
    request_id,
    is_demo,
    transport: {
      ...(env.V4_ORIGIN
        ? { origin: env.V4_ORIGIN, fetch: (request) => fetch(request) }
        : {
            origin: API_ORIGIN,
            fetch: (request) => env.API.fetch(new Request(request, withAddress(client_address, request))),
          }),
      limit: () => {
        limit ??= AbortSignal.timeout(TIME_LIMIT_MS);
        return limit;
      },
    },
    toolkit,
    afterAnswer: (what, work) =>
      waitUntil(
        work().catch((error: unknown) => {
          const reason = error instanceof Error ? error.message : String(error);
          console.error(JSON.stringify({ message: "not done after the answer", what, request_id, reason }));
        }),
      ),
    renewTokens: (refresh_token) => renewTokens(env, toolkit, { refresh_token, client_address, device, request_id }),
    sign_out_memo: signOutAnswers,
    watched_project:
      env.SIGN_OUT_WATCH === "firestore" ? { apiKey: env.IDENTITY_API_KEY, projectId: env.PROJECT_ID } : null,
    verifier: { project_id: env.PROJECT_ID, jwks_url: env.JWKS_URL, fetch: fetchIdentity },
    session_keys: new SessionKeys(env.SESSION_KEYS),
    recaptcha: isEmbedded(env.IDENTITY_TOOLKIT_URL)
      ? null
      : { api_key: env.IDENTITY_API_KEY, project_id: env.PROJECT_ID },
    readMails: is_demo && isEmbedded(env.JWKS_URL) ? () => env.IDENTITY.fetch(mails) : null,
    identity: (request) => env.IDENTITY.fetch(request),
  };
}
