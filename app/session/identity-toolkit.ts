import { FetchError } from "../v4/errors.ts";

/** Where the identity provider is; the embedded one is reached by the service binding, Firebase over the network. */
export interface IdentitySettings {
  toolkit_url: string;
  secure_token_url: string;
  api_key: string;
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

  async signInWithPassword(email: string, password: string): Promise<Tokens> {
    return tokensOf(await this.#accounts("signInWithPassword", { email, password, returnSecureToken: true }));
  }

  async signUp(email: string, password: string): Promise<Tokens> {
    return tokensOf(await this.#accounts("signUp", { email, password, returnSecureToken: true }));
  }

  /** Has a mail sent that proves the address. */
  async sendVerificationMail(id_token: string): Promise<void> {
    await this.#accounts("sendOobCode", { requestType: "VERIFY_EMAIL", idToken: id_token });
  }

  /** Uses up the code of such a mail; returns the address that was proven. */
  async confirmEmail(oob_code: string): Promise<string> {
    return String((await this.#accounts("update", { oobCode: oob_code })).email);
  }

  /** A new ID token. The refresh token may be a new one as well. */
  async refresh(refresh_token: string): Promise<Tokens> {
    const url = `${this.#settings.secure_token_url}/v1/token`;
    const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token });
    const answer = await this.#post(url, "application/x-www-form-urlencoded", body.toString());
    return { id_token: String(answer.id_token), refresh_token: String(answer.refresh_token) };
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
        headers: { "content-type": content_type },
        body,
        signal: AbortSignal.timeout(TIME_LIMIT_MS),
      });
      answer = await response.json();
    } catch (error) {
      throw new FetchError(error);
    }
    if (response.ok) return answer;
    if (response.status >= 500) throw new FetchError(`identity provider answered ${response.status}`);
    // Firebase puts an explanation behind some codes: "WEAK_PASSWORD : Password should be …".
    throw new IdentityRefusal(answer.error?.message?.split(" ")[0] ?? "UNKNOWN");
  }
}

function tokensOf(answer: Record<string, unknown>): Tokens {
  return { id_token: String(answer.idToken), refresh_token: String(answer.refreshToken) };
}
