import type { MailLanguage } from "../../workers/contract/notifications.ts";
import { FetchError } from "../v4/errors.ts";

/** How to reach the identity provider: the embedded one by a service binding, Firebase over the network. */
export interface IdentitySettings {
  toolkit_url: string;
  secure_token_url: string;
  api_key: string;
  /** The User-Agent of the browser, which only the embedded provider stores. Empty with Firebase. */
  device: string;
  /** The language of the mails and text messages that the provider sends. */
  language: MailLanguage;
  fetch(input: string, init?: RequestInit): Promise<Response>;
}

/** A refusal of the identity provider, by Firebase's own code: `INVALID_LOGIN_CREDENTIALS`, `EMAIL_EXISTS`, ... */
export class IdentityRefusal extends Error {
  override name = "IdentityRefusal";
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

export interface Tokens {
  id_token: string;
  refresh_token: string;
}

/** New tokens, and the providers linked to the account. */
export interface Renewed {
  tokens: Tokens;
  providers: string[];
}

/** A second factor as the provider names it; `phoneInfo` is masked (`+81 ********78`). */
export interface FactorInfo {
  mfaEnrollmentId: string;
  displayName?: string;
  phoneInfo?: string;
  totpInfo?: object;
  enrolledAt?: string;
}

export type SignInAnswer =
  | { kind: "signed_in"; tokens: Tokens }
  | { kind: "needs_second_factor"; pending_credential: string; factors: FactorInfo[] };

/**
 * The answer to a sign-in: a session, or the address of an account that already has another sign-in method. Its owner
 * must link the two first.
 */
export type IdpAnswer =
  | (SignInAnswer & { is_new: boolean })
  | { kind: "needs_other_provider"; email: string | null; pending_token: string };

export interface AuthUri {
  auth_uri: string;
  session_id: string;
}

/**
 * The account that now has the address. If the account was created for this address, it has no other sign-in method
 * yet.
 */
export interface ProvenAddress {
  id: string;
  email: string;
  has_way_in: boolean;
}

/** `request_uri` is the callback address, `post_body` its raw query or form. */
export interface IdpCallback {
  request_uri: string;
  post_body?: string;
  session_id?: string;
  /** The credential of an answer `needs_other_provider`. */
  pending_token?: string;
}

export interface TotpEnrollment {
  /** The secret in Base32 (RFC 4648), which authenticator apps accept. */
  secret: string;
  session_info: string;
}

/** The fields of Firebase's UserInfo that we read. */
export interface IdentityAccount {
  localId: string;
  email?: string;
  emailVerified?: boolean;
  displayName?: string;
  phoneNumber?: string;
  passwordHash?: string;
  providerUserInfo?: {
    providerId: string;
    rawId?: string;
    email?: string;
    displayName?: string;
    phoneNumber?: string;
  }[];
  mfaInfo?: FactorInfo[];
}

const TIME_LIMIT_MS = 5000;

/**
 * The only caller of the identity provider. It uses Firebase's REST API, so the same code serves both providers. Every
 * method throws {@link IdentityRefusal}, or {@link FetchError} when there is no answer. Source:
 * https://docs.cloud.google.com/identity-platform/docs/use-rest-api
 */
export class IdentityToolkit {
  readonly #settings: IdentitySettings;

  constructor(settings: IdentitySettings) {
    this.#settings = settings;
  }

  /** The language of the mails that the calls cause. */
  get language(): MailLanguage {
    return this.#settings.language;
  }

  /** Returns the same calls, for a person who gets mails in this language. */
  inLanguage(language: MailLanguage): IdentityToolkit {
    return new IdentityToolkit({ ...this.#settings, language });
  }

  async signInWithPassword(email: string, password: string): Promise<SignInAnswer> {
    return signInAnswerOf(await this.#accounts("signInWithPassword", { email, password, returnSecureToken: true }));
  }

  /** Signs in with a custom token, made by a server for another client of the same person. */
  async signInWithCustomToken(token: string): Promise<SignInAnswer> {
    return signInAnswerOf(await this.#accounts("signInWithCustomToken", { token, returnSecureToken: true }));
  }

  async signUp(email: string, password: string): Promise<Tokens> {
    return tokensOf(await this.#accounts("signUp", { email, password, returnSecureToken: true }));
  }

  /**
   * Signs in with the code of a mailed link, and creates the account if needed. With `id_token`, links the address
   * instead.
   */
  async signInWithEmailLink(email: string, oob_code: string, id_token?: string): Promise<SignInAnswer> {
    return signInAnswerOf(await this.#accounts("signInWithEmailLink", { email, oobCode: oob_code, idToken: id_token }));
  }

  /** Sends an SMS code to a number (E.164). Returns the session info for {@link signInWithPhoneNumber}. */
  async sendVerificationCode(phone_number: string, recaptcha_token?: string): Promise<string> {
    const body = { phoneNumber: phone_number, recaptchaToken: recaptcha_token };
    return String((await this.#accounts("sendVerificationCode", body)).sessionInfo);
  }

  /** Signs in with a phone number, and creates the account if needed. With `id_token`, links the number instead. */
  async signInWithPhoneNumber(session_info: string, code: string, id_token?: string): Promise<SignInAnswer> {
    const body = { sessionInfo: session_info, code, idToken: id_token };
    return signInAnswerOf(await this.#accounts("signInWithPhoneNumber", body));
  }

  /** Returns the address of another provider's sign-in page, and the session id to present at its callback. */
  async createAuthUri(provider_id: string, continue_uri: string): Promise<AuthUri> {
    const body = { providerId: provider_id, continueUri: continue_uri, authFlowType: "CODE_FLOW" };
    const answer = await this.#accounts("createAuthUri", body);
    return { auth_uri: String(answer.authUri), session_id: String(answer.sessionId) };
  }

  /**
   * Signs in with the callback of another provider. With `id_token`, links it to that account. Throws USER_NOT_FOUND
   * when there is no account and none may be created.
   */
  async signInWithIdp(callback: IdpCallback, id_token?: string, may_create = true): Promise<IdpAnswer> {
    const answer = await this.#accounts("signInWithIdp", {
      requestUri: callback.request_uri,
      postBody: callback.post_body,
      sessionId: callback.session_id,
      pendingToken: callback.pending_token,
      idToken: id_token,
      autoCreate: may_create,
      returnIdpCredential: true,
      returnSecureToken: true,
    });
    const email = typeof answer.email === "string" ? answer.email : null;
    if (answer.needConfirmation === true) {
      return { kind: "needs_other_provider", email, pending_token: String(answer.pendingToken ?? "") };
    }
    return { ...signInAnswerOf(answer), is_new: answer.isNewUser === true };
  }

  /** Sends an SMS code for a second factor. Returns the session info for {@link finishFactorSignIn}. */
  async startFactorSignIn(pending_credential: string, factor_id: string, recaptcha_token?: string): Promise<string> {
    const answer = await this.#secondFactor("mfaSignIn:start", {
      mfaPendingCredential: pending_credential,
      mfaEnrollmentId: factor_id,
      phoneSignInInfo: { recaptchaToken: recaptcha_token },
    });
    return String((answer.phoneResponseInfo as { sessionInfo?: unknown } | undefined)?.sessionInfo);
  }

  /**
   * Completes a sign-in with a second factor. `session_info` is required for an SMS code and unused for a time-based
   * code.
   */
  async finishFactorSignIn(
    pending_credential: string,
    factor_id: string,
    code: string,
    session_info?: string,
  ): Promise<Tokens> {
    return tokensOf(
      await this.#secondFactor("mfaSignIn:finalize", {
        mfaPendingCredential: pending_credential,
        mfaEnrollmentId: factor_id,
        ...(session_info
          ? { phoneVerificationInfo: { sessionInfo: session_info, code } }
          : { totpVerificationInfo: { verificationCode: code } }),
      }),
    );
  }

  /** Completes a sign-in with a recovery code. Firebase has none and refuses; the page does not offer it there. */
  async recover(pending_credential: string, recovery_code: string): Promise<Tokens> {
    const body = { mfaPendingCredential: pending_credential, recoveryCode: recovery_code };
    return tokensOf(await this.#secondFactor("mfaSignIn:recover", body));
  }

  async startTotpEnrollment(id_token: string): Promise<TotpEnrollment> {
    const answer = await this.#secondFactor("mfaEnrollment:start", { idToken: id_token, totpEnrollmentInfo: {} });
    const info = answer.totpSessionInfo as { sharedSecretKey?: unknown; sessionInfo?: unknown } | undefined;
    return { secret: String(info?.sharedSecretKey), session_info: String(info?.sessionInfo) };
  }

  async startPhoneEnrollment(id_token: string, phone_number: string, recaptcha_token?: string): Promise<string> {
    const answer = await this.#secondFactor("mfaEnrollment:start", {
      idToken: id_token,
      phoneEnrollmentInfo: { phoneNumber: phone_number, recaptchaToken: recaptcha_token },
    });
    return String((answer.phoneSessionInfo as { sessionInfo?: unknown } | undefined)?.sessionInfo);
  }

  /** Adds the factor to the account, which ends its other sign-ins. Returns the tokens to continue with. */
  async finishEnrollment(
    id_token: string,
    kind: "totp" | "phone",
    enrollment: { session_info: string; code: string; display_name: string },
  ): Promise<Tokens> {
    const { session_info: sessionInfo, code, display_name: displayName } = enrollment;
    return tokensOf(
      await this.#secondFactor("mfaEnrollment:finalize", {
        idToken: id_token,
        displayName,
        ...(kind === "totp"
          ? { totpVerificationInfo: { sessionInfo, verificationCode: code } }
          : { phoneVerificationInfo: { sessionInfo, code } }),
      }),
    );
  }

  async withdrawFactor(id_token: string, factor_id: string): Promise<Tokens> {
    return tokensOf(
      await this.#secondFactor("mfaEnrollment:withdraw", { idToken: id_token, mfaEnrollmentId: factor_id }),
    );
  }

  /** Returns the account as the provider knows it. */
  async lookUp(id_token: string): Promise<IdentityAccount> {
    const { users } = (await this.#accounts("lookup", { idToken: id_token })) as { users?: IdentityAccount[] };
    const account = users?.[0];
    if (!account) throw new IdentityRefusal("USER_NOT_FOUND");
    return account;
  }

  /** Sets or changes the address and password of an account, which ends its other sign-ins. */
  async setPassword(id_token: string, password: string): Promise<Tokens> {
    return tokensOf(await this.#accounts("update", { idToken: id_token, password, returnSecureToken: true }));
  }

  /** Unlinks a provider from the account: its id, `phone` or `password`. */
  async unlink(id_token: string, provider_id: string): Promise<void> {
    await this.#accounts("update", { idToken: id_token, deleteProvider: [provider_id] });
  }

  /** Mails a link that verifies the address and continues at `continue_url`. */
  async sendVerificationMail(id_token: string, continue_url?: string): Promise<void> {
    const body = { requestType: "VERIFY_EMAIL", idToken: id_token, continueUrl: continue_url };
    await this.#accounts("sendOobCode", body);
  }

  /** Mails a link that gives the account this address. The old address is notified and can undo it. */
  async sendChangeMail(id_token: string, new_email: string, continue_url: string): Promise<void> {
    const body = { requestType: "VERIFY_AND_CHANGE_EMAIL", idToken: id_token, newEmail: new_email };
    await this.#accounts("sendOobCode", { ...body, continueUrl: continue_url });
  }

  /** Mails a password reset link. The answer is the same for every address. */
  async sendPasswordReset(email: string, continue_url: string): Promise<void> {
    await this.#accounts("sendOobCode", { requestType: "PASSWORD_RESET", email, continueUrl: continue_url });
  }

  /** Mails a sign-in link. The answer is the same for every address. */
  async sendEmailLink(email: string, continue_url: string): Promise<void> {
    const body = { requestType: "EMAIL_SIGNIN", email, continueUrl: continue_url, canHandleCodeInApp: true };
    await this.#accounts("sendOobCode", body);
  }

  /** Returns what a mailed code is for, without using it up. */
  async readCode(oob_code: string): Promise<{ request_type: string; email: string | null }> {
    const { requestType, email } = await this.#accounts("resetPassword", { oobCode: oob_code });
    return { request_type: String(requestType), email: typeof email === "string" ? email : null };
  }

  /** Sets the password with a mailed code, which ends every sign-in. */
  async resetPassword(oob_code: string, password: string): Promise<void> {
    await this.#accounts("resetPassword", { oobCode: oob_code, newPassword: password });
  }

  /**
   * Uses the code of a mail that verifies, changes or restores an address. Without a token of that account, the
   * embedded provider changes no address, and deletes the password and sign-in methods that were added before the
   * address was verified.
   * @param id_token the token of this browser's own sign-in.
   */
  async applyCode(oob_code: string, id_token?: string): Promise<ProvenAddress> {
    const answer = await this.#accounts("update", { oobCode: oob_code, idToken: id_token });
    const ways_in = (answer.providerUserInfo ?? []) as unknown[];
    return { id: String(answer.localId), email: String(answer.email), has_way_in: ways_in.length > 0 };
  }

  /** Returns a new ID token, and possibly a new refresh token. */
  async refresh(refresh_token: string): Promise<Tokens> {
    const url = `${this.#settings.secure_token_url}/v1/token`;
    const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token });
    const answer = await this.#post(url, "application/x-www-form-urlencoded", body.toString());
    return tokensOf({ idToken: answer.id_token, refreshToken: answer.refresh_token });
  }

  #secondFactor(method: string, body: object): Promise<Record<string, unknown>> {
    return this.#post(`${this.#settings.toolkit_url}/v2/accounts/${method}`, "application/json", JSON.stringify(body));
  }

  #accounts(method: string, body: object): Promise<Record<string, unknown>> {
    const url = `${this.#settings.toolkit_url}/v1/accounts:${method}`;
    return this.#post(url, "application/json", JSON.stringify(body));
  }

  async #post(url: string, content_type: string, body: string): Promise<Record<string, unknown>> {
    const { api_key, device, language } = this.#settings;
    let response: Response;
    let answer: { error?: { message?: string } } & Record<string, unknown>;
    try {
      response = await this.#settings.fetch(`${url}?key=${encodeURIComponent(api_key)}`, {
        method: "POST",
        headers: { "content-type": content_type, "x-firebase-locale": language, ...(device && { "x-device": device }) },
        body,
        signal: AbortSignal.timeout(TIME_LIMIT_MS),
      });
      answer = asObject(await response.json());
    } catch (error) {
      throw new FetchError(error);
    }
    // When `signInWithIdp` refuses and returns the credential, its status is 200.
    const refused = typeof answer.errorMessage === "string" ? answer.errorMessage : null;
    if (response.ok && refused === null) return answer;
    if (response.status >= 500) throw new FetchError(`identity provider answered ${response.status}`);
    // Firebase adds an explanation after some codes: "WEAK_PASSWORD : Password should be …".
    throw new IdentityRefusal((refused ?? answer.error?.message)?.split(" ")[0] ?? "UNKNOWN");
  }
}

/** Returns the tokens, or the second factors to choose from. */
function signInAnswerOf(answer: Record<string, unknown>): SignInAnswer {
  if (typeof answer.mfaPendingCredential !== "string") return { kind: "signed_in", tokens: tokensOf(answer) };
  const factors = (answer.mfaInfo ?? []) as FactorInfo[];
  return { kind: "needs_second_factor", pending_credential: answer.mfaPendingCredential, factors };
}

/** Throws {@link FetchError} when the answer has no tokens: a proxy may have answered instead of the provider. */
function tokensOf({ idToken, refreshToken }: Record<string, unknown>): Tokens {
  if (typeof idToken !== "string" || typeof refreshToken !== "string") throw new FetchError("no tokens in the answer");
  return { id_token: idToken, refresh_token: refreshToken };
}

function asObject(answer: unknown): Record<string, unknown> {
  if (typeof answer !== "object" || answer === null) throw new TypeError("the answer is no object");
  return answer as Record<string, unknown>;
}
