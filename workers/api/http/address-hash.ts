import { networkOf } from "../../kernel/client-network.ts";
import { sha256Hex } from "../../kernel/digest.ts";

/** Returns the hash of the client's address, for rate limits; null when the address is unknown. */
export async function hashAddress(request: Request, media_key: string): Promise<string | null> {
  const address = request.headers.get("cf-connecting-ip");
  return address && (await sha256Hex(`${media_key} ${networkOf(address)}`));
}
