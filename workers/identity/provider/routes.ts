import { type Context, Hono } from "hono";
import { cors } from "hono/cors";
import { routePath } from "hono/route";
import type * as z from "zod";
import { IDENTITY_BODY_BYTES } from "../../contract/bounds.ts";
import { readJson, readText } from "../../http/body.ts";
import { networkOf } from "../../kernel/client-network.ts";
import { logUnexpected } from "../../kernel/log.ts";
import { Problem } from "../../kernel/problem.ts";
import { nameRoute } from "../../kernel/request-log.ts";
import { isDemo } from "../deployment.ts";
import { handOverMails } from "../mails/commands.ts";
import { listMails, listOobCodes, listVerificationCodes } from "../mails/queries.ts";
import { type Identity, openIdentity } from "../storage/database.ts";
import { publishedKeys } from "../storage/signing-keys.ts";
import { lookUp, signInWithCustomToken, signInWithPassword, signUp, update } from "./commands.ts";
import { signInWithEmailLink } from "./email-links.ts";
import { finalizeEnrolment, startEnrolment, withdrawFactor } from "./factors.ts";
import { createAuthUri, signInWithIdp } from "./federated.ts";
import {
  createAuthUriInput,
  finalizeEnrolmentInput,
  finalizeFactorSignInInput,
  idTokenInput,
  recoverInput,
  resetPasswordInput,
  sendOobCodeInput,
  sendVerificationCodeInput,
  signInWithCustomTokenInput,
  signInWithEmailLinkInput,
  signInWithIdpInput,
  signInWithPasswordInput,
  signInWithPhoneNumberInput,
  signUpInput,
  startEnrolmentInput,
  startFactorSignInInput,
  tokenInput,
  updateInput,
  withdrawFactorInput,
} from "./input.ts";
import { resetPassword } from "./oob-codes.ts";
import { sendOobCode } from "./oob-mails.ts";
import { sendVerificationCode, signInWithPhoneNumber } from "./phones.ts";
import { Refusal, refusalJson } from "./refusal.ts";
import { LOCALE_HEADER, languageOf, passwordPolicy } from "./rules.ts";
import { finalizeFactorSignIn, signInByRecoveryCode, startFactorSignIn } from "./second-factors.ts";
import { refresh } from "./sessions.ts";

/**
 * Serves the embedded identity provider under the paths that Firebase's SDKs use for an emulator.
 * Source: https://firebase.google.com/docs/reference/rest/auth
 */

type Room = { Bindings: IdentityEnv & { request_id: string } };
type Call = (identity: Identity, body: unknown) => Promise<object>;

/** An error that Google's gateway answers in place of the service behind it. */
class GatewayRefusal extends Error {
  override name = "GatewayRefusal";
  readonly code: 400 | 403 | 404 | 413;
  readonly status: string;

  constructor(code: 400 | 403 | 404 | 413, message: string, status: string) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

function bindCall<S extends z.ZodType>(
  input: S,
  run: (identity: Identity, body: z.output<S>) => Promise<object>,
): Call {
  return async (identity, body) => {
    const checked = input.safeParse(body);
    if (!checked.success) {
      const field = checked.error.issues[0]?.path.join(".") || "body";
      throw new GatewayRefusal(400, `Invalid value at '${field}'`, "INVALID_ARGUMENT");
    }
    return run(identity, checked.data);
  };
}

/**
 * Refuses `accounts:delete`, as Firebase does when its users may not delete themselves: a member leaves through the product
 * (docs/decisions/0019).
 */
const refuseDeletion = async (): Promise<never> => {
  throw new Refusal("ADMIN_ONLY_OPERATION");
};

const toolkit = new Map<string, Call>([
  ["accounts:signUp", bindCall(signUpInput, signUp)],
  ["accounts:signInWithPassword", bindCall(signInWithPasswordInput, signInWithPassword)],
  ["accounts:signInWithEmailLink", bindCall(signInWithEmailLinkInput, signInWithEmailLink)],
  [
    "accounts:signInWithCustomToken",
    bindCall(signInWithCustomTokenInput, (identity, { token }) => signInWithCustomToken(identity, token)),
  ],
  ["accounts:delete", bindCall(idTokenInput, refuseDeletion)],
  ["accounts:lookup", bindCall(idTokenInput, (identity, { idToken }) => lookUp(identity, idToken))],
  ["accounts:update", bindCall(updateInput, update)],
  ["accounts:sendOobCode", bindCall(sendOobCodeInput, sendOobCode)],
  [
    "accounts:resetPassword",
    bindCall(resetPasswordInput, (identity, { oobCode, newPassword }) => resetPassword(identity, oobCode, newPassword)),
  ],
  [
    "accounts:sendVerificationCode",
    bindCall(sendVerificationCodeInput, (identity, { phoneNumber }) => sendVerificationCode(identity, phoneNumber)),
  ],
  ["accounts:signInWithPhoneNumber", bindCall(signInWithPhoneNumberInput, signInWithPhoneNumber)],
  ["accounts:createAuthUri", bindCall(createAuthUriInput, createAuthUri)],
  ["accounts:signInWithIdp", bindCall(signInWithIdpInput, signInWithIdp)],
]);

/** The calls of version 2, under `accounts/`. */
const secondFactors = new Map<string, Call>([
  ["mfaEnrollment:start", bindCall(startEnrolmentInput, startEnrolment)],
  ["mfaEnrollment:finalize", bindCall(finalizeEnrolmentInput, finalizeEnrolment)],
  ["mfaEnrollment:withdraw", bindCall(withdrawFactorInput, withdrawFactor)],
  ["mfaSignIn:start", bindCall(startFactorSignInInput, startFactorSignIn)],
  ["mfaSignIn:finalize", bindCall(finalizeFactorSignInInput, finalizeFactorSignIn)],
  ["mfaSignIn:recover", bindCall(recoverInput, signInByRecoveryCode)],
]);

const exchangeToken = bindCall(tokenInput, (identity, input) => {
  const grant_type = input.grant_type ?? input.grantType;
  const refresh_token = input.refresh_token ?? input.refreshToken;
  if (!grant_type) throw new Refusal("MISSING_GRANT_TYPE");
  if (grant_type !== "refresh_token") throw new Refusal("INVALID_GRANT_TYPE");
  if (!refresh_token) throw new Refusal("MISSING_REFRESH_TOKEN");
  return refresh(identity, refresh_token);
});

/**
 * Opens the storage with the client's network address, User-Agent and language. The edge worker sends those of its
 * visitor; a request of an SDK has its own.
 */
function openFor(c: Context<Room>): Identity {
  const device = c.req.header(DEVICE_HEADER) ?? c.req.header("user-agent") ?? "";
  const client = c.req.header("cf-connecting-ip");
  const address = client ? networkOf(client) : null;
  const language = languageOf(c.req.header(LOCALE_HEADER));
  return openIdentity(
    c.env,
    Date.now(),
    { address, device: device.slice(0, MAX_DEVICE_LENGTH), language },
    c.executionCtx,
  );
}

/** The header with the User-Agent of the browser for which the edge worker calls. */
const DEVICE_HEADER = "x-device";
const MAX_DEVICE_LENGTH = 400;

/** Runs a call, and then hands over the mails that it wrote. The answer does not wait for them. */
async function answerCall(c: Context<Room>, run: Call, body: unknown): Promise<Response> {
  const identity = openFor(c);
  const answer = await run(identity, body);
  identity.afterAnswer(handOverMails(identity));
  return c.json(answer);
}

async function readBody(c: Context<Room>): Promise<unknown> {
  return (await readJson(c.req.raw, IDENTITY_BODY_BYTES)).json;
}

async function readForm(c: Context<Room>): Promise<unknown> {
  return Object.fromEntries(new URLSearchParams(await readText(c.req.raw, IDENTITY_BODY_BYTES)));
}

function notFound(): GatewayRefusal {
  return new GatewayRefusal(404, "Not Found", "NOT_FOUND");
}

function requireApiKey(c: Context<Room>): void {
  const key = c.req.query("key");
  if (!key) throw new GatewayRefusal(403, "The request is missing a valid API key.", "PERMISSION_DENIED");
  if (key !== c.env.IDENTITY_API_KEY) {
    throw new GatewayRefusal(400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT");
  }
}

/** Throws unless this is a demo project. The mail outbox is public, so only demo projects may show it. */
function requireDemoProject(c: Context<Room>): void {
  if (!isDemo(c.env) || c.req.param("project_id") !== c.env.PROJECT_ID) throw notFound();
}

async function answerKeys(c: Context<Room>): Promise<Response> {
  const keys = await publishedKeys(openIdentity(c.env, Date.now()));
  return c.json(keys, 200, { "cache-control": "public, max-age=300" });
}

/** Renders an error in Firebase's format, which its SDK parses. */
function renderError(error: Error, c: Context<Room>): Response {
  if (error instanceof Refusal) {
    if (error.cause) logUnexpected(error.cause, c.env.request_id);
    return c.json(refusalJson(400, error.message), 400);
  }
  if (error instanceof GatewayRefusal) {
    return c.json(refusalJson(error.code, error.message, error.status), error.code);
  }
  const code = error instanceof Problem ? error.code : null;
  if (code === "payload_too_large") {
    return c.json(refusalJson(413, "Request payload size exceeds the limit.", "INVALID_ARGUMENT"), 413);
  }
  if (code === "bad_request") {
    return c.json(refusalJson(400, "Invalid JSON payload received.", "INVALID_ARGUMENT"), 400);
  }
  logUnexpected(error, c.env.request_id);
  return c.json(refusalJson(500, "Internal error encountered.", "INTERNAL"), 500);
}

export const provider = new Hono<Room>();
provider.use(async (c, next) => {
  await next();
  nameRoute(c.req.raw, routePath(c, -1));
});
// Allows SDK calls from pages of any site, as Firebase does. The outbox is left out, or any page could read a demo's
// mails and codes. Production never serves these routes: there the browser calls Firebase.
for (const host of ["identitytoolkit.googleapis.com", "securetoken.googleapis.com"]) {
  provider.use(`/${host}/*`, cors({ origin: (origin) => origin, maxAge: 3600 }));
}
provider.onError(renderError);
provider.notFound((c) => renderError(notFound(), c));

provider.post("/identitytoolkit.googleapis.com/v1/:call", async (c) => {
  const run = toolkit.get(c.req.param("call"));
  if (!run) throw notFound();
  requireApiKey(c);
  return answerCall(c, run, await readBody(c));
});

/**
 * The project settings that SDKs read. They are those of a project without settings. Source: the SDK's
 * packages/auth/src/api.
 */
const settings = new Map<string, (env: IdentityEnv) => object>([
  [
    "v1/projects",
    ({ PROJECT_ID, ACTION_URL }) => ({ projectId: PROJECT_ID, authorizedDomains: [new URL(ACTION_URL).hostname] }),
  ],
  // We use no CAPTCHA, but the SDK needs a site key.
  ["v1/recaptchaParams", () => ({ kind: "identitytoolkit#GetRecaptchaParamResponse", recaptchaSiteKey: "none" })],
  [
    "v2/recaptchaConfig",
    ({ PROJECT_ID }) => ({ recaptchaKey: `projects/${PROJECT_ID}/keys/none`, recaptchaEnforcementState: [] }),
  ],
  ["v2/passwordPolicy", () => passwordPolicy],
]);

for (const [path, answer] of settings) {
  provider.get(`/identitytoolkit.googleapis.com/${path}`, (c) => {
    requireApiKey(c);
    return c.json(answer(c.env));
  });
}

provider.post("/identitytoolkit.googleapis.com/v2/accounts/:call", async (c) => {
  const run = secondFactors.get(c.req.param("call"));
  if (!run) throw notFound();
  requireApiKey(c);
  return answerCall(c, run, await readBody(c));
});

provider.post("/securetoken.googleapis.com/v1/token", async (c) => {
  requireApiKey(c);
  const is_json = c.req.header("content-type")?.startsWith("application/json");
  return c.json(await exchangeToken(openFor(c), await (is_json ? readBody(c) : readForm(c))));
});

const KEYS_PATH = "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com";
provider.get(KEYS_PATH, answerKeys);
provider.get(`/www.googleapis.com${KEYS_PATH}`, answerKeys);

provider.get("/emulator/v1/projects/:project_id/mails", async (c) => {
  requireDemoProject(c);
  return c.json({ mails: await listMails(openIdentity(c.env, Date.now())) });
});

provider.get("/emulator/v1/projects/:project_id/oobCodes", async (c) => {
  requireDemoProject(c);
  return c.json({ oobCodes: await listOobCodes(openIdentity(c.env, Date.now())) });
});

provider.get("/emulator/v1/projects/:project_id/verificationCodes", async (c) => {
  requireDemoProject(c);
  return c.json({ verificationCodes: await listVerificationCodes(openIdentity(c.env, Date.now())) });
});
