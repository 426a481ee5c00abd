import { DurableObject } from "cloudflare:workers";
import { createHash } from "node:crypto";
import { IdentityRefusal, type IdentityToolkit, type Renewed } from "../../app/session/identity-toolkit.ts";
import { linkedProviders } from "../../app/session/providers.ts";
import { FetchError } from "../../app/v4/errors.ts";
import { log } from "../kernel/log.ts";
import { toolkitOf } from "./toolkit.ts";

/** How long a success is repeated. The embedded provider repeats it for the same time. */
const REMEMBERED_MS = 60 * 1000;

interface Asked {
  refresh_token: string;
  client_address: string | null;
  device: string;
}

/** The outcome in a form that travels between workers: an error would lose its class. */
type Outcome = { renewed: Renewed } | { refused: string } | { unavailable: string };

/**
 * Refreshes one refresh token; the object's name is the token's hash. It asks the provider once, even when many pages
 * of a browser ask at once. Only a Durable Object may let one request wait for work that another began. It stores
 * nothing: an evicted object asks the provider again.
 */
export class Renewals extends DurableObject<WebEnv> {
  #outcome: Promise<Outcome> | undefined;
  #asked_at = 0;

  async renew({ refresh_token, client_address, device }: Asked): Promise<Outcome> {
    if (this.#outcome && Math.abs(Date.now() - this.#asked_at) < REMEMBERED_MS) return this.#outcome;
    const asking = askForTokens(toolkitOf(this.env, client_address, device), refresh_token);
    this.#outcome = asking;
    this.#asked_at = Date.now();
    // Repeat only successes. After a refusal or a timeout, the client may try again.
    const forgetOutcome = () => {
      if (this.#outcome === asking) this.#outcome = undefined;
    };
    return asking.then(
      (outcome) => {
        if (!("renewed" in outcome)) forgetOutcome();
        return outcome;
      },
      (error) => {
        forgetOutcome();
        throw error;
      },
    );
  }
}

async function askForTokens(toolkit: IdentityToolkit, refresh_token: string): Promise<Outcome> {
  try {
    const tokens = await toolkit.refresh(refresh_token);
    return { renewed: { tokens, providers: await linkedProviders(toolkit, tokens.id_token) } };
  } catch (error) {
    if (error instanceof IdentityRefusal) return { refused: error.code };
    if (error instanceof FetchError) return { unavailable: String(error.cause ?? error.message) };
    throw error;
  }
}

/**
 * Returns new tokens for a refresh token, through its Durable Object. Asks the provider directly if the object fails.
 * Throws `IdentityRefusal`, or `FetchError` when the provider does not answer.
 */
export async function renewTokens(
  env: WebEnv,
  toolkit: IdentityToolkit,
  { request_id, ...asked }: Asked & { request_id: string },
): Promise<Renewed> {
  const name = createHash("sha256").update(asked.refresh_token).digest("hex");
  const outcome = await env.RENEWALS.getByName(name)
    .renew(asked)
    .catch((error: unknown) => {
      log("error", { message: "a renewal was not shared", request_id, error: String(error) });
      return askForTokens(toolkit, asked.refresh_token);
    });
  if ("renewed" in outcome) return outcome.renewed;
  throw "refused" in outcome ? new IdentityRefusal(outcome.refused) : new FetchError(outcome.unavailable);
}
