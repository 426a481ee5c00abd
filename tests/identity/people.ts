import { waitUntil } from "../support/wait.ts";
import { API_KEY, type RunningIdentity } from "./support.ts";

/** Helpers that call the provider as a client does. */

export interface SignedIn {
  localId: string;
  idToken: string;
  refreshToken: string;
  expiresIn: string;
}

export interface Reply {
  status: number;
  headers: Headers;
  // The tests assert the shape.
  body: Record<string, unknown> & { error?: { code: number; message: string } };
}

/** Posts JSON to `accounts:<name>`. */
export async function call(
  identity: RunningIdentity,
  name: string,
  input: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const response = await identity.fetch(`/identitytoolkit.googleapis.com/v1/accounts:${name}?key=${API_KEY}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof input === "string" ? input : JSON.stringify(input),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Reply["body"] };
}

/** Returns the message of an error, or undefined after a success. */
export async function refusal(identity: RunningIdentity, name: string, input: unknown, headers = {}) {
  const { body } = await call(identity, name, input, headers);
  return body.error?.message;
}

export const PASSWORD = "correct horse battery";

export async function signUp(identity: RunningIdentity, email: string, password = PASSWORD): Promise<SignedIn> {
  const { status, body } = await call(identity, "signUp", { email, password, returnSecureToken: true });
  if (status !== 200) throw new Error(`sign-up answered ${JSON.stringify(body)}`);
  return body as unknown as SignedIn;
}

export async function signIn(identity: RunningIdentity, email: string, password = PASSWORD): Promise<SignedIn> {
  const { status, body } = await call(identity, "signInWithPassword", { email, password, returnSecureToken: true });
  if (status !== 200) throw new Error(`sign-in answered ${JSON.stringify(body)}`);
  return body as unknown as SignedIn;
}

export async function refresh(identity: RunningIdentity, refresh_token: string): Promise<Reply> {
  const response = await identity.fetch(`/securetoken.googleapis.com/v1/token?key=${API_KEY}`, {
    method: "POST",
    body: new URLSearchParams({ grant_type: "refresh_token", refresh_token }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Reply["body"] };
}

/** Calls /v2/general with a bearer token. */
export function general(identity: RunningIdentity, method: string, path: string, token?: string, body?: unknown) {
  return identity.fetch(`/v2/general${path}`, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
}

export async function problemCode(response: Response): Promise<string> {
  return ((await response.json()) as { code: string }).code;
}

interface OobCode {
  email: string;
  requestType: string;
  oobCode: string;
  oobLink: string;
}

interface Wanted {
  requestType?: string;
  /** An earlier code that must not be returned. */
  after?: string;
}

/** Returns the newest code mailed to the address. Without a sign-in, the mail is sent after the answer. */
export function mailedCode(identity: RunningIdentity, email: string, wanted: Wanted = {}): Promise<OobCode> {
  return waitUntil(async () => {
    const response = await identity.fetch("/emulator/v1/projects/demo-ofuse/oobCodes");
    const { oobCodes } = (await response.json()) as { oobCodes: OobCode[] };
    const { requestType, after } = wanted;
    const code = oobCodes.findLast(
      (each) => each.email === email && (requestType === undefined || each.requestType === requestType),
    );
    if (!code || code.oobCode === after) throw new Error(`no code was mailed to ${email}`);
    return code;
  });
}
