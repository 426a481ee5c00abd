import { api, type Reply } from "../../support/network.ts";

export interface Sent {
  bytes: Uint8Array;
  name?: string;
  type?: string;
  /** The idempotency key. */
  key?: string;
}

/** Uploads a file as a form with the one field `file`. */
export async function upload(
  path: string,
  token: string | null,
  { bytes, name = "a.bin", type = "", key }: Sent,
): Promise<Reply> {
  const form = new FormData();
  form.set("file", new File([bytes as Uint8Array<ArrayBuffer>], name, { type }));
  const encoded = new Response(form);
  return api("POST", path, {
    token,
    body: new Uint8Array(await encoded.arrayBuffer()),
    headers: {
      "content-type": encoded.headers.get("content-type") ?? "",
      ...(key && { "idempotency-key": key }),
    },
  });
}
