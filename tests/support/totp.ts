/** An authenticator app for tests. */
import { createHmac } from "node:crypto";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Returns the present code, or the one `later` steps from now. The secret is base32. */
export function codeOf(secret: string, later = 0): string {
  return codeAt(secret, Math.floor(Date.now() / 30_000) + later);
}

/** Returns the code of a step of thirty seconds. Source: RFC 6238. */
export function codeAt(secret: string, step: number): string {
  const bits = [...secret].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", key).update(message).digest();
  return String((mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

/** The parts of a network that calls to its provider need. */
interface Provider {
  url: string;
  secrets: { IDENTITY_API_KEY: string };
}

/**
 * Enrols an app for the account of a fresh token, and returns the secret. It uses the present code, so `codeOf(secret, 1)`
 * signs in.
 */
export async function enrolApp({ url, secrets }: Provider, idToken: string): Promise<string> {
  const callEnrollment = async (method: string, body: object) => {
    const path = `/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:${method}?key=${secrets.IDENTITY_API_KEY}`;
    const headers = { "content-type": "application/json" };
    const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    const answer = (await response.json()) as { totpSessionInfo: { sharedSecretKey: string; sessionInfo: string } };
    if (!response.ok) throw new Error(`mfaEnrollment:${method} answered ${JSON.stringify(answer)}`);
    return answer;
  };
  const { totpSessionInfo } = await callEnrollment("start", { idToken, totpEnrollmentInfo: {} });
  const { sharedSecretKey, sessionInfo } = totpSessionInfo;
  const verificationCode = codeOf(sharedSecretKey);
  await callEnrollment("finalize", {
    idToken,
    displayName: "アプリ",
    totpVerificationInfo: { sessionInfo, verificationCode },
  });
  return sharedSecretKey;
}
