import { randomBytes, scryptSync } from "node:crypto";

/**
 * Returns a password in the stored form of workers/identity/provider/passwords.ts, with the lowest cost that scrypt has.
 * The stored form names its cost, so the identity worker checks it in microseconds and not in 50 ms. Tests sign in
 * hundreds of times. The accounts that tests create through the worker itself keep its real cost.
 */
export function hashPasswordCheaply(password: string): string {
  const cost = { N: 2, r: 8, p: 1 };
  const salt = randomBytes(16);
  const hash = scryptSync(password.normalize("NFC"), salt, 32, cost);
  return ["scrypt", cost.N, cost.r, cost.p, salt.toString("base64url"), hash.toString("base64url")].join("$");
}
