import { FetchError } from "../v4/errors.ts";

/** Where the identity provider is; the embedded one is reached by the service binding, Firebase over the network. */
export interface IdentitySettings {
  toolkit_url: string;
  secure_token_url: string;
  api_key: string;
  /** The User-Agent of who is signed in; empty for the embedded provider's sake alone: Firebase has no use for it. */
  device: string;
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

/** Tokens for a refresh token, and the providers linked to the account. */
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

/** As a sign-in; or the address belongs to an account that signs in otherwise, and has to say that both are its own. */
export type IdpAnswer =
  | (SignInAnswer & { is_new: boolean })
  | { kind: "needs_other_provider"; email: string | null; pending_token: string };

export interface AuthUri {
  auth_uri: string;
  session_id: string;
}

/** The account that has the address now. One that was made for it has no way in yet. */
export interface ProvenAddress {
  id: string;
  email: string;
  has_way_in: boolean;
}

/** `request_uri` is the address that was called back, `post_body` its query or form as it came. */
export interface IdpCallback {
  request_uri: string;
  post_body?: string;
  session_id?: string;
  /** Of an answer `needs_other_provider`: what was proven then. */
  pending_token?: string;
}

export interface TotpEnrollment {
  /** Base32 (RFC 4648), as authenticator apps take it. */
  secret: string;
  session_info: string;
}

/** Firebase's UserInfo, what is read of it. */
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
 * The only caller of the identity provider. It speaks Firebase's REST, so the same code serves both providers.
 * Every method throws {@link IdentityRefusal}, or {@link FetchError} when there is no answer.
 * Source: https://docs.cloud.google.com/identity-platform/docs/use-rest-api
 */
export class IdentityToolkit {
  readonly #settings: IdentitySettings;

  constructor(settings: IdentitySettings) {
    this.#settings = settings;
  }

  async signInWithPassword(email: string, password: string): Promise<SignInAnswer> {
    return signInAnswerOf(await this.#accounts("signInWithPassword", { email, password, returnSecureToken: true }));
  }

  /** Signs in by a token that a server made for another client of the same person. */
  async signInWithCustomToken(token: string): Promise<SignInAnswer> {
    return signInAnswerOf(await this.#accounts("signInWithCustomToken", { token, returnSecureToken: true }));
  }

  async signUp(email: string, password: string): Promise<Tokens> {
    return tokensOf(await this.#accounts("signUp", { email, password, returnSecureToken: true }));
  }

  /** Signs in, or makes an account for the address, by the code of a link mailed to it. With `id_token` links it. */
  async signInWithEmailLink(email: string, oob_code: string, id_token?: string): Promise<SignInAnswer> {
    return signInAnswerOf(await this.#accounts("signInWithEmailLink", { email, oobCode: oob_code, idToken: id_token }));
  }

  /** Has a code sent to a telephone (E.164). Gives what {@link signInWithPhoneNumber} needs of it. */
  async sendVerificationCode(phone_number: string, recaptcha_token?: string): Promise<string> {
    const body = { phoneNumber: phone_number, recaptchaToken: recaptcha_token };
    return String((await this.#accounts("sendVerificationCode", body)).sessionInfo);
  }

  /** Signs in, or makes an account for the telephone. With `id_token` links it to that account. */
  async signInWithPhoneNumber(session_info: string, code: string, id_token?: string): Promise<SignInAnswer> {
    const body = { sessionInfo: session_info, code, idToken: id_token };
    return signInAnswerOf(await this.#accounts("signInWithPhoneNumber", body));
  }

  /** Where to send the browser to sign in elsewhere, and what must be shown when it comes back. */
  async createAuthUri(provider_id: string, continue_uri: string): Promise<AuthUri> {
    const body = { providerId: provider_id, continueUri: continue_uri, authFlowType: "CODE_FLOW" };
    const answer = await this.#accounts("createAuthUri", body);
    return { auth_uri: String(answer.authUri), session_id: String(answer.sessionId) };
  }

  /**
   * Signs in by what another provider called back with. With `id_token` links it to that account; where none may be made,
   * throws USER_NOT_FOUND for who has none.
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

  /** Has a code sent to a telephone that is the second factor; gives what {@link finishFactorSignIn} needs of it. */
  async startFactorSignIn(pending_credential: string, factor_id: string, recaptcha_token?: string): Promise<string> {
    const answer = await this.#secondFactor("mfaSignIn:start", {
      mfaPendingCredential: pending_credential,
      mfaEnrollmentId: factor_id,
      phoneSignInInfo: { recaptchaToken: recaptcha_token },
    });
    return String((answer.phoneResponseInfo as { sessionInfo?: unknown } | undefined)?.sessionInfo);
  }

  /** The second half of a sign-in; `session_info` is a telephone's, and absent for a time-based code. */
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

  /** Signs in by a recovery code instead. Firebase has none: it refuses, and the page does not offer it there. */
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

  /** Makes the factor one of the account; its other sign-ins end, and these are the tokens to go on with. */
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

  /** The account as the provider knows it. */
  async lookUp(id_token: string): Promise<IdentityAccount> {
    const { users } = (await this.#accounts("lookup", { idToken: id_token })) as { users?: IdentityAccount[] };
    const account = users?.[0];
    if (!account) throw new IdentityRefusal("USER_NOT_FOUND");
    return account;
  }

  /** Gives an account that has none an address and a password, or changes the password; other sign-ins end. */
  async setPassword(id_token: string, password: string): Promise<Tokens> {
    return tokensOf(await this.#accounts("update", { idToken: id_token, password, returnSecureToken: true }));
  }

  /** Takes another provider off the account: its id, `phone` or `password`. */
  async unlink(id_token: string, provider_id: string): Promise<void> {
    await this.#accounts("update", { idToken: id_token, deleteProvider: [provider_id] });
  }

  /** Has a mail sent that proves the address; its link knows where to go on. */
  async sendVerificationMail(id_token: string, continue_url?: string): Promise<void> {
    const body = { requestType: "VERIFY_EMAIL", idToken: id_token, continueUrl: continue_url };
    await this.#accounts("sendOobCode", body);
  }

  /** Has a mail sent with which the account gets this address; the old one is told, and can take it back. */
  async sendChangeMail(id_token: string, new_email: string, continue_url: string): Promise<void> {
    const body = { requestType: "VERIFY_AND_CHANGE_EMAIL", idToken: id_token, newEmail: new_email };
    await this.#accounts("sendOobCode", { ...body, continueUrl: continue_url });
  }

  /** Has a link mailed that sets another password, and knows where to go on. Answered alike for every address. */
  async sendPasswordReset(email: string, continue_url: string): Promise<void> {
    await this.#accounts("sendOobCode", { requestType: "PASSWORD_RESET", email, continueUrl: continue_url });
  }

  /** Has a link mailed that signs in. Answered alike for every address. */
  async sendEmailLink(email: string, continue_url: string): Promise<void> {
    const body = { requestType: "EMAIL_SIGNIN", email, continueUrl: continue_url, canHandleCodeInApp: true };
    await this.#accounts("sendOobCode", body);
  }

  /** What a mailed code is for, without using it up. */
  async readCode(oob_code: string): Promise<{ request_type: string; email: string | null }> {
    const { requestType, email } = await this.#accounts("resetPassword", { oobCode: oob_code });
    return { request_type: String(requestType), email: typeof email === "string" ? email : null };
  }

  /** Sets the password by such a code; every sign-in ends. */
  async resetPassword(oob_code: string, password: string): Promise<void> {
    await this.#accounts("resetPassword", { oobCode: oob_code, newPassword: password });
  }

  /**
   * Uses up the code of a mail about an address.
   *
   * @param id_token of the browser's own sign-in: only with one of the same account does the embedded provider keep what was
   * set on an account before its address was proven, and change an address at all.
   */
  async applyCode(oob_code: string, id_token?: string): Promise<ProvenAddress> {
    const answer = await this.#accounts("update", { oobCode: oob_code, idToken: id_token });
    const ways_in = (answer.providerUserInfo ?? []) as unknown[];
    return { id: String(answer.localId), email: String(answer.email), has_way_in: ways_in.length > 0 };
  }

  /** A new ID token. The refresh token may be a new one as well. */
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
    let response: Response;
    let answer: { error?: { message?: string } } & Record<string, unknown>;
    try {
      response = await this.#settings.fetch(`${url}?key=${encodeURIComponent(this.#settings.api_key)}`, {
        method: "POST",
        headers: { "content-type": content_type, ...(this.#settings.device && { "x-device": this.#settings.device }) },
        body,
        signal: AbortSignal.timeout(TIME_LIMIT_MS),
      });
      answer = asObject(await response.json());
    } catch (error) {
      throw new FetchError(error);
    }
    // A refusal of `signInWithIdp` beside which the credential is told comes with a status of success.
    const refused = typeof answer.errorMessage === "string" ? answer.errorMessage : null;
    if (response.ok && refused === null) return answer;
    if (response.status >= 500) throw new FetchError(`identity provider answered ${response.status}`);
    // Firebase puts an explanation behind some codes: "WEAK_PASSWORD : Password should be …".
    throw new IdentityRefusal((refused ?? answer.error?.message)?.split(" ")[0] ?? "UNKNOWN");
  }
}

/** What a sign-in was answered with: it is done, or a second factor is asked for. */
function signInAnswerOf(answer: Record<string, unknown>): SignInAnswer {
  if (typeof answer.mfaPendingCredential !== "string") return { kind: "signed_in", tokens: tokensOf(answer) };
  const factors = (answer.mfaInfo ?? []) as FactorInfo[];
  return { kind: "needs_second_factor", pending_credential: answer.mfaPendingCredential, factors };
}

/** Something on the way may have answered in the provider's place. Throws {@link FetchError}. */
function tokensOf({ idToken, refreshToken }: Record<string, unknown>): Tokens {
  if (typeof idToken !== "string" || typeof refreshToken !== "string") throw new FetchError("no tokens in the answer");
  return { id_token: idToken, refresh_token: refreshToken };
}

function asObject(answer: unknown): Record<string, unknown> {
  if (typeof answer !== "object" || answer === null) throw new TypeError("the answer is no object");
  return answer as Record<string, unknown>;
}
