import type { Auth } from "../../contract/operation.ts";
import { Problem } from "../../kernel/problem.ts";
import { type IdentityClaims, TokenRefused, type VerifierSettings, verifyIdToken } from "../../verifier/index.ts";
import type { Database } from "../storage/database.ts";
import type { Caller } from "./request-context.ts";

/**
 * Who calls, as far as the operation wants to know. A token that is there but no good is refused even where none is
 * needed (`optional`): silence would show a member the visitor's page. So is an account that is disabled, or whose person
 * left. Cookies are never looked at.
 *
 * @param requireLive throws where the token's sign-in has ended; without it a token is good until its own end.
 */
export async function authenticate(
  auth: Auth,
  request: Request,
  verifier: VerifierSettings,
  database: Database,
  requireLive?: (claims: IdentityClaims, token: string) => Promise<void>,
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
  const [user, live] = await Promise.all([
    database
      .selectFrom("users")
      .select(["user_id", "disabled_at"])
      .where("identity_id", "=", claims.sub)
      .executeTakeFirst(),
    requireLive?.(claims, token).then(
      () => null,
      (refusal: unknown) => ({ refusal }),
    ),
  ]);
  // Before the sign-in is looked at: of an account that is disabled it has ended, and its person is told why.
  if (user?.disabled_at) throw new Problem("account_disabled");
  if (!user && (await hasLeft(database, claims.sub))) throw new Problem("account_left");
  if (live) throw live.refusal;
  return { claims, user_id: user?.user_id ?? null };
}

/** Asked only of who has no profile: whoever left has none any more. */
async function hasLeft(database: Database, identity_id: string): Promise<boolean> {
  const row = await database
    .selectFrom("left_identities")
    .select("identity_id")
    .where("identity_id", "=", identity_id)
    .executeTakeFirst();
  return row !== undefined;
}
