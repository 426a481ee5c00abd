import { createContext } from "react-router";
import type { Profile } from "../../workers/contract/users.ts";
import type { VerifierSettings } from "../../workers/verifier/index.ts";
import type { Transport } from "../v4/call.ts";
import type { IdentityToolkit, Renewed } from "./identity-toolkit.ts";
import type { Session, SessionKeys } from "./session.ts";

/**
 * Whether a sign-in is valid, was ended elsewhere, or is refused: the account is gone or disabled, or the token is
 * forged.
 */
export type SignInStatus = "signed_in" | "signed_out" | "refused";

/** Caches the identity service's answers about sign-ins, each for at most a second. */
export interface SignOutMemo {
  /** Returns the cached answer, or undefined if the identity service was not asked within the last second. */
  read(sign_in: string): SignInStatus | undefined;
  /** @param asked_at when the request was sent to the identity service, in milliseconds. */
  write(sign_in: string, status: SignInStatus, asked_at: number): void;
}

/** The services of one request for accounts and sessions. The worker creates it together with `Edge`. */
export interface IdentityAccess {
  toolkit: IdentityToolkit;
  /** Exchanges a refresh token for new tokens; parallel calls share one answer. Throws what the toolkit throws. */
  renewTokens(refresh_token: string): Promise<Renewed>;
  sign_out_memo: SignOutMemo;
  /**
   * The project in whose Firestore pages watch for the end of their sign-in. Null if pages use a WebSocket to our
   * server instead.
   */
  watched_project: { apiKey: string; projectId: string } | null;
  verifier: VerifierSettings;
  session_keys: SessionKeys;
  /**
   * The reCAPTCHA settings for sending SMS codes. Null with the embedded provider, which needs none. Only the embedded
   * provider has recovery codes.
   */
  recaptcha: { api_key: string; project_id: string } | null;
  /** The mails and text messages of a demo, which does not really send them. Null outside a demo. */
  readOutbox: (() => Promise<{ mails: Response; messages: Response }>) | null;
  /** Sends a request to the identity service: `/v2/general/...`. */
  fetch: Transport["fetch"];
}

/** The signed-in person. `profile` is present if the registration is complete and the API answered. */
export type Viewer = { session: Session } & (
  | { registration: "complete"; profile: Profile }
  | { registration: "missing" | "unknown"; profile: null }
);

export const identityContext = createContext<IdentityAccess>();
export const viewerContext = createContext<Viewer | null>(null);
