import { createContext } from "react-router";
import { type MaintenanceReading, NO_MAINTENANCE, readingAt } from "../../workers/contract/maintenance-status.ts";
import type { Profile } from "../../workers/contract/users.ts";
import type { VerifierSettings } from "../../workers/verifier/index.ts";
import type { CookieJar } from "./cookies.ts";
import type { IdentityToolkit, Renewed } from "../session/identity-toolkit.ts";
import type { Session, SessionKeys } from "../session/session.ts";
import type { Site } from "../site/site.ts";
import type { Transport } from "../v4/call.ts";
import type { V4 } from "../v4/client.ts";
import type { Kept } from "../v4/failure.ts";

export type Inadmissible = "unreadable_path" | "cross_site" | "too_large" | "not_a_form";

/** Whether a sign-in goes on, has ended elsewhere, or is refused altogether: the account is gone or disabled, the token forged. */
export type SignInStatus = "signed_in" | "signed_out" | "refused";

/** Answers of the identity service by sign-in, each good for a second at most. */
export interface SignOutMemo {
  /** Undefined when it has not been asked lately. */
  read(sign_in: string): SignInStatus | undefined;
  /** @param asked_at when the question was put, in milliseconds. */
  write(sign_in: string, status: SignInStatus, asked_at: number): void;
}

/** What the worker hands to the app for one request: no binding, only what the app may do with them. */
export interface Edge {
  request_id: string;
  /** Whether this deployment shows what only developers should see (the local outbox). */
  is_demo: boolean;
  transport: Omit<Transport, "token" | "request_id">;
  toolkit: IdentityToolkit;
  /** Does what the answer does not wait for. Its failure is logged as that of `what`; of a refusal its code. */
  afterAnswer(what: string, work: () => Promise<unknown>): void;
  /** New tokens for a refresh token; all who ask side by side are given the same. Throws as the toolkit does. */
  renewTokens(refresh_token: string): Promise<Renewed>;
  /** What was heard in the last second of sign-ins that may have ended. */
  sign_out_memo: SignOutMemo;
  /** The project in whose Firestore pages watch for the end of their sign-in; null where they hold a socket of ours. */
  watched_project: { apiKey: string; projectId: string } | null;
  verifier: VerifierSettings;
  session_keys: SessionKeys;
  /**
   * What a browser needs to show that it is no robot before a code goes to a telephone; null where the embedded provider
   * asks for no such thing. It is also the embedded provider alone that has recovery codes.
   */
  recaptcha: { api_key: string; project_id: string } | null;
  /** Mails of the embedded provider; null where there is none. */
  readMails: (() => Promise<Response>) | null;
  /** Calls of the identity service with a bearer token: `/v2/general/...`. */
  identity: Transport["fetch"];
}

/** The person signed in. `profile` is there when their registration is complete and the API answered. */
export type Viewer = { session: Session } & (
  | { registration: "complete"; profile: Profile }
  | { registration: "missing" | "unknown"; profile: null }
);

/** Why the worker could not let the request in as it came; the boundary explains. */
export const inadmissibleContext = createContext<Inadmissible | null>(null);
/** What this request is answered by: the same from its first line to its last, whatever the clock says meanwhile. */
export const maintenanceContext = createContext<MaintenanceReading>(readingAt(NO_MAINTENANCE, 0));
/** Seconds after which trying again makes sense; written as Retry-After. */
export const retryAfterContext = createContext<number | null>(null);
/** Whether the page lacks a part it should show: it is an answer, and nothing to be kept and given to others. */
export const incompleteContext = createContext(false);
export const edgeContext = createContext<Edge>();
/** Who runs the site. */
export const siteContext = createContext<Site>();
/** What the page's own scripts carry, and no other script can know. */
export const nonceContext = createContext<string>();
/** Whether what a person is to be told once stands on the page now being made. */
export const flashReadContext = createContext(false);
export const jarContext = createContext<CookieJar>();
export const viewerContext = createContext<Viewer | null>(null);
export const v4Context = createContext<V4>();
/** What somebody typed into a form that could not be answered at all; the boundary shows it, so it is not lost. */
export const keptContext = createContext<Kept | null>(null);
