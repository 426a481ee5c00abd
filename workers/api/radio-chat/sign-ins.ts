import { log } from "../../kernel/log.ts";
import { SignInMemo } from "../../kernel/sign-in-memo.ts";
import { IDENTITY_ORIGIN, SIGN_IN_CHECK_PATH } from "../../verifier/deployment.ts";
import type { SignInMarks } from "../../verifier/index.ts";

type Answer = "live" | "ended" | "unknown";
const answers = new SignInMemo<Answer>("ended");
const TIME_LIMIT_MS = 2000;

/** Returns a name that only sockets of the same sign-in share. */
export const nameOf = ({ sub, signInId }: SignInMarks) => `${sub} ${signInId}`;

/**
 * Returns whether the sign-in of a socket has ended. Like a call of the API that is not sensitive, it accepts an answer up
 * to a second old, and returns false when the identity service does not answer. The room has no token to ask with.
 */
export async function hasEnded(identity: Pick<Fetcher, "fetch">, sign_in: SignInMarks): Promise<boolean> {
  const name = nameOf(sign_in);
  const known = answers.read(name);
  if (known) return known === "ended";
  const asked_at = Date.now();
  const answer = await askIdentity(identity, sign_in);
  answers.write(name, answer, answer === "unknown" ? Date.now() : asked_at);
  return answer === "ended";
}

async function askIdentity(identity: Pick<Fetcher, "fetch">, sign_in: SignInMarks): Promise<Answer> {
  try {
    const { status } = await identity.fetch(`${IDENTITY_ORIGIN}${SIGN_IN_CHECK_PATH}?quick`, {
      method: "POST",
      body: JSON.stringify(sign_in),
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
    });
    if (status === 204) return "live";
    if (status === 401) return "ended";
    throw new Error(`identity answered ${status}`);
  } catch (error) {
    log("error", { message: "sign-in state of a chat's socket not known", error: String(error) });
    return "unknown";
  }
}
