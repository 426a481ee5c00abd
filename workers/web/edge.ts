import { waitUntil } from "cloudflare:workers";
import type { Edge } from "../../app/request/context.ts";
import type { IdentityAccess, SignInStatus, SignOutMemo } from "../../app/session/context.ts";
import { SessionKeys } from "../../app/session/session.ts";
import { KEPT_MAILS_PATH, MAILS_ORIGIN } from "../contract/mails.ts";
import { log } from "../kernel/log.ts";
import { SignInMemo } from "../kernel/sign-in-memo.ts";
import { IDENTITY_ORIGIN, isDemoProject, isEmbedded } from "../verifier/deployment.ts";
import { renewTokens } from "./renewals.ts";
import { identityFetch, toolkitOf, withAddress } from "./toolkit.ts";

export const API_ORIGIN = "http://api.internal";

const TIME_LIMIT_MS = 5000;
const signOutAnswers: SignOutMemo = new SignInMemo<SignInStatus>("signed_out");

/** Builds the app's access to the edge for one request from the worker's bindings, which the app never sees. */
export function edgeOf(env: WebEnv, request_id: string, client_address: string | null): Edge {
  let limit: AbortSignal | undefined;
  return {
    request_id,
    is_demo: isDemoProject(env.PROJECT_ID),
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
    afterAnswer: (what, work) =>
      waitUntil(
        work().catch((error: unknown) => {
          const reason = error instanceof Error ? error.message : String(error);
          log("error", { message: "not done after the answer", what, request_id, reason });
        }),
      ),
  };
}

/** Builds the app's access to accounts and sessions for one request. */
export function identityAccessOf(
  env: WebEnv,
  request_id: string,
  client_address: string | null,
  device: string,
): IdentityAccess {
  const toolkit = toolkitOf(env, client_address, device);
  const messages = `${IDENTITY_ORIGIN}/emulator/v1/projects/${env.PROJECT_ID}/mails`;
  const has_outbox = isDemoProject(env.PROJECT_ID) && isEmbedded(env.JWKS_URL);
  return {
    toolkit,
    renewTokens: (refresh_token) => renewTokens(env, toolkit, { refresh_token, client_address, device, request_id }),
    sign_out_memo: signOutAnswers,
    watched_project:
      env.SIGN_OUT_WATCH === "firestore" ? { apiKey: env.IDENTITY_API_KEY, projectId: env.PROJECT_ID } : null,
    verifier: { project_id: env.PROJECT_ID, jwks_url: env.JWKS_URL, fetch: identityFetch(env) },
    session_keys: new SessionKeys(env.SESSION_KEYS),
    recaptcha: isEmbedded(env.IDENTITY_TOOLKIT_URL)
      ? null
      : { api_key: env.IDENTITY_API_KEY, project_id: env.PROJECT_ID },
    readOutbox: has_outbox
      ? async () => {
          const kept = env.MAILS.fetch(`${MAILS_ORIGIN}${KEPT_MAILS_PATH}`);
          return { mails: await kept, messages: await env.IDENTITY.fetch(messages) };
        }
      : null,
    fetch: (request) => env.IDENTITY.fetch(new Request(request, withAddress(client_address, request))),
  };
}
