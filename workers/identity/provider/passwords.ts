import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { toNormalForm } from "../../contract/normal-form.ts";

/**
 * Hashes and checks passwords. Stored form: `scrypt$N$r$p$salt$hash`, salt and hash in base64url. Scripts use it too,
 * so it imports nothing from the worker.
 */

const COST = { N: 16_384, r: 8, p: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

const derive = promisify<string, Uint8Array, number, typeof COST, Uint8Array>(scrypt);

/**
 * Returns the stored form of a password. Normalises it first: another system may type the same password in another
 * Unicode normal form.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(toNormalForm(password), salt, HASH_BYTES, COST);
  return ["scrypt", COST.N, COST.r, COST.p, toBase64Url(salt), toBase64Url(hash)].join("$");
}

/**
 * Returns true when the password matches `stored`. The check takes as long for `null` (no account), so that timing does
 * not reveal whether an account exists.
 */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [, N, r, p, salt = "", hash = ""] = (stored ?? NOBODYS).split("$");
  const expected = Buffer.from(hash, "base64url");
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const actual = await derive(toNormalForm(password), Buffer.from(salt, "base64url"), expected.byteLength, cost);
  return timingSafeEqual(actual, expected) && stored !== null;
}

function toBase64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}

const NOBODYS = [
  "scrypt",
  COST.N,
  COST.r,
  COST.p,
  toBase64Url(new Uint8Array(SALT_BYTES)),
  toBase64Url(new Uint8Array(HASH_BYTES)),
].join("$");
