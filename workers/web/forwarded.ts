/**
 * A request as the two other services get it: they trust nothing a browser sends by itself, and only our own word for
 * the client's address and for the number of the request, which is in our logs.
 */
export function forwarded(request: Request, client_address: string | null, request_id: string): Request {
  const sent = new Request(request);
  sent.headers.delete("cookie");
  sent.headers.delete("cf-connecting-ip");
  sent.headers.set("x-request-id", request_id);
  if (client_address) sent.headers.set("cf-connecting-ip", client_address);
  return sent;
}
