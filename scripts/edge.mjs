/**
 * What stands between people and the web worker on this machine, as Cloudflare's edge does in production: it compresses.
 *
 * Runs in workerd, so it is plain JavaScript. People reach it straight on workerd's own socket, past Miniflare's
 * front worker, which costs more and offers development endpoints nobody should reach.
 */
const COMPRESSIBLE =
  /^(?:text\/(?!event-stream)|application\/(?:\S+\+)?(?:json|xml)\b|application\/javascript\b|image\/svg\+xml)/;

/** The best coding the client takes and workerd writes. */
function codingFor(request) {
  const accepted = request.headers.get("accept-encoding") ?? "";
  return accepted.match(/\bbr\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/)?.[0] ?? accepted.match(/\bgzip\b/)?.[0];
}

const READ_AT_ONCE_BYTES = 4 * 1024 * 1024;

/**
 * The request with its body here already, when it is no large upload: workerd resets the connection of a request that is
 * answered before its body was read (a 401, say), and the next request on it fails. Cloudflare's edge reads first too.
 */
async function read(request) {
  if (!request.body || Number(request.headers.get("content-length") ?? 0) > READ_AT_ONCE_BYTES) return request;
  return new Request(request, { body: await request.arrayBuffer() });
}

export default {
  async fetch(request, env) {
    const response = await env.WEB.fetch(await read(request));
    const coding = codingFor(request);
    if (!coding || !response.body || response.headers.has("content-encoding")) return response;
    if (!COMPRESSIBLE.test(response.headers.get("content-type") ?? "")) return response;
    // workerd encodes the body by the Content-Encoding it finds.
    const compressed = new Response(response.body, response);
    compressed.headers.set("content-encoding", coding);
    compressed.headers.append("vary", "accept-encoding");
    return compressed;
  },
};
