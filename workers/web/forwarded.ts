/**
 * Returns the request for the other workers, without cookies. They trust this worker for the client's address and
 * for the request id, which is in our logs, so values that a client sent itself are replaced.
 */
export function toForwardedRequest(request: Request, client_address: string | null, request_id: string): Request {
  const sent = new Request(request);
  sent.headers.delete("cookie");
  sent.headers.delete("cf-connecting-ip");
  sent.headers.set("x-request-id", request_id);
  if (client_address) sent.headers.set("cf-connecting-ip", client_address);
  return sent;
}
