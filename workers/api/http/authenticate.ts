import type { Auth } from "../../contract/operation.ts";
import { Problem } from "../../kernel/problem.ts";
import { type IdentityClaims, TokenRefused, type VerifierSettings, verifyIdToken } from "../../verifier/index.ts";
import type { Database } from "../storage/database.ts";
import type { Caller } from "./request-context.ts";

/**
 * Returns the caller, as far as the operation needs one. Refuses an invalid token even where a token is optional:
 * otherwise a member would see the visitor's page without knowing why. Also refuses a disabled account and an account
 * whose member left. Ignores cookies.
 *
 * @param requireLive throws when the token's sign-in has ended. Without it, a token is valid until it expires.
 * @param recall returns the account's user id if it is known, so that it is not looked up.
 */
export async function authenticateCaller(
  auth: Auth,
  request: Request,
  verifier: VerifierSettings,
  database: Database,
  {
    requireLive,
    recall,
  }: {
    requireLive?: (claims: IdentityClaims, token: string) => Promise<void>;
    recall?: (identity_id: string) => string | undefined;
  } = {},
): Promise<Caller | null> {
  if (auth === "none") return null;
  const header = request.headers.get("authorization");
  if (header === null) {
    if (auth === "required") throw new Problem("unauthenticated");
    return null;
  }
  const token = /^Bearer ([\w.-]+)$/i.exec(header)?.[1];
  if (!token) throw new Problem("token_invalid");
  let claims: IdentityClaims;
  try {
    claims = await verifyIdToken(token, verifier);
  } catch (error) {
    if (error instanceof TokenRefused) throw new Problem("token_invalid", { cause: error });
    throw new Problem("unavailable", { cause: error });
  }
  const known = recall?.(claims.sub);
  const [user, live] = await Promise.all([
    known === undefined ? findMember(database, claims.sub) : { user_id: known, disabled_at: null },
    requireLive?.(claims, token).then(
      () => null,
      (refusal: unknown) => ({ refusal }),
    ),
  ]);
  // Check this before the sign-in: disabling ends the sign-in too, and the member must get the real reason.
  if (user?.disabled_at) throw new Problem("account_disabled");
  if (!user && (await hasLeft(database, claims.sub))) throw new Problem("account_left");
  if (live) throw live.refusal;
  return { claims, user_id: user?.user_id ?? null };
}

const findMember = (database: Database, identity_id: string) =>
  database
    .selectFrom("users")
    .select(["user_id", "disabled_at"])
    .where("identity_id", "=", identity_id)
    .executeTakeFirst();

/**
 * Returns true when the account's member has left. Called only for an account without a profile: leaving deletes the
 * profile.
 */
async function hasLeft(database: Database, identity_id: string): Promise<boolean> {
  const row = await database
    .selectFrom("left_identities")
    .select("identity_id")
    .where("identity_id", "=", identity_id)
    .executeTakeFirst();
  return row !== undefined;
}
