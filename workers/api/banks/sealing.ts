/**
 * Encrypts the number and the holder of a bank account with AES-256-GCM under a key of BANK_KEYS. The other columns of the
 * row are associated data, so that a sealed text opens only in its own row, unchanged. Source: docs/decisions/0028.
 */

/** The columns that a sealed text belongs to. */
export interface SealedFor {
  user_id: string;
  bank_code: string;
  branch_code: string;
  account_type: string;
}

/** The parts of a bank account that must be encrypted in the database. */
export interface AccountSecret {
  account_number: string;
  account_holder_kana: string;
}

export interface Sealed {
  /** The initialization vector and the encrypted JSON, in base64. */
  sealed: string;
  key_id: string;
}

const IV_BYTES = 12;

/** Reads `id:secret,id:secret`. The first key encrypts, and all keys decrypt. */
function readKeys(bank_keys: string): [id: string, secret: string][] {
  return bank_keys.split(",").map((pair) => {
    const [id = "", secret = ""] = pair.trim().split(":");
    return [id, secret];
  });
}

/** Returns the ids of the keys that only decrypt. */
export const olderKeysOf = (bank_keys: string): string[] =>
  readKeys(bank_keys)
    .slice(1)
    .map(([id]) => id);

/** Whether BANK_KEYS has the key with this id. */
export const hasKey = (bank_keys: string, key_id: string): boolean => readKeys(bank_keys).some(([id]) => id === key_id);

/** Derives 256 bits from the secret. One hash is enough, because the secret is long and random. */
async function importKey(secret: string, usage: "encrypt" | "decrypt"): Promise<CryptoKey> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(secret));
  return crypto.subtle.importKey("raw", bytes, "AES-GCM", false, [usage]);
}

function algorithmFor({ user_id, bank_code, branch_code, account_type }: SealedFor, key_id: string, iv: Uint8Array) {
  const columns = ["bank_accounts", key_id, user_id, bank_code, branch_code, account_type];
  return { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(JSON.stringify(columns)) };
}

/** Encrypts under the first key. */
export async function sealAccount(bank_keys: string, row: SealedFor, secret: AccountSecret): Promise<Sealed> {
  const [[key_id, key] = ["", ""]] = readKeys(bank_keys);
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const { account_number, account_holder_kana } = secret;
  const text = new TextEncoder().encode(JSON.stringify({ account_number, account_holder_kana }));
  const encrypted = await crypto.subtle.encrypt(algorithmFor(row, key_id, iv), await importKey(key, "encrypt"), text);
  const bytes = new Uint8Array([...iv, ...new Uint8Array(encrypted)]);
  return { sealed: btoa(String.fromCharCode(...bytes)), key_id };
}

/** Decrypts the secret of a row. Returns null when its key is gone, or when anything in the row was changed. */
export async function unsealAccount(bank_keys: string, row: SealedFor & Sealed): Promise<AccountSecret | null> {
  const secret = readKeys(bank_keys).find(([id]) => id === row.key_id)?.[1];
  if (secret === undefined) return null;
  try {
    const bytes = Uint8Array.from(atob(row.sealed), (char) => char.charCodeAt(0));
    const [iv, encrypted] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES)];
    const algorithm = algorithmFor(row, row.key_id, iv);
    const text = await crypto.subtle.decrypt(algorithm, await importKey(secret, "decrypt"), encrypted);
    return JSON.parse(new TextDecoder().decode(text)) as AccountSecret;
  } catch (error) {
    // Not base64, or the authentication tag does not match.
    if (error instanceof DOMException) return null;
    throw error;
  }
}
