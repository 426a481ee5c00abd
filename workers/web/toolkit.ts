import { IdentityToolkit } from "../../app/session/identity-toolkit.ts";
import { isEmbedded } from "../verifier/deployment.ts";

/** Returns a fetch that resolves the embedded provider's host. */
export function identityFetch(env: WebEnv) {
  return (input: string, init?: RequestInit): Promise<Response> =>
    isEmbedded(input) ? env.IDENTITY.fetch(input, init) : fetch(input, init);
}

/**
 * Returns the identity provider's calls, made for a browser of this kind at this address. The app says the language of
 * the mails when it knows the viewer.
 */
export function toolkitOf(env: WebEnv, client_address: string | null, device: string): IdentityToolkit {
  const fetchIdentity = identityFetch(env);
  return new IdentityToolkit({
    toolkit_url: env.IDENTITY_TOOLKIT_URL,
    secure_token_url: env.SECURE_TOKEN_URL,
    api_key: env.IDENTITY_API_KEY,
    device: isEmbedded(env.IDENTITY_TOOLKIT_URL) ? device : "",
    language: "ja",
    fetch: (input, init) =>
      fetchIdentity(input, isEmbedded(input) ? { ...init, ...withAddress(client_address, init) } : init),
  });
}

/** Adds the client's address. Both services limit by address, and would otherwise see only this worker. */
export function withAddress(client_address: string | null, init?: { headers?: HeadersInit }): { headers: Headers } {
  const headers = new Headers(init?.headers);
  if (client_address) headers.set("cf-connecting-ip", client_address);
  return { headers };
}
