/**
 * Stands in for Cloudflare's edge on this machine: it compresses responses.
 *
 * It runs in workerd, so it is plain JavaScript. Browsers reach it on workerd's own socket and not through Miniflare's
 * front worker, which is slower and has development endpoints that visitors must not reach.
 */
const COMPRESSIBLE =
  /^(?:text\/(?!event-stream)|application\/(?:\S+\+)?(?:json|xml)\b|application\/javascript\b|image\/svg\+xml)/;

/** Returns the best coding that the client accepts and workerd can write. */
function codingFor(request) {
  const accepted = request.headers.get("accept-encoding") ?? "";
  return accepted.match(/\bbr\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/)?.[0] ?? accepted.match(/\bgzip\b/)?.[0];
}

/** The calls of the operators' command, which has a key of its own. */
const OPERATOR_PATHS = "/v4/operator/";

/**
 * Returns the request as the client sent it to the front of a site (scripts/site/front.ts), over https. Returns null for a
 * request that did not come through the front: nobody has checked the address and the client that it names.
 */
function fromFront(request, key) {
  const url = new URL(request.url);
  const headers = new Headers(request.headers);
  if (headers.get("x-front-key") === key) url.protocol = "https:";
  else if (url.pathname.startsWith(OPERATOR_PATHS)) headers.set("cf-connecting-ip", "127.0.0.1");
  else return null;
  headers.delete("x-front-key");
  return new Request(url, new Request(request, { headers }));
}

const READ_AT_ONCE_BYTES = 4 * 1024 * 1024;

/**
 * Returns the request, and a function that reads the rest of its body. workerd resets the connection when a worker
 * answers before it has read the body (a 401, say), and the next request on the connection then fails. This edge reads
 * a small body before it passes the request on, as Cloudflare's edge does. It streams a large body (an upload), and
 * drops the rest that the worker did not read.
 */
async function readAhead(request) {
  const length = request.headers.get("content-length");
  if (!request.body) return { asked: request, finish: async () => {} };
  if (length !== null && Number(length) <= READ_AT_ONCE_BYTES) {
    return { asked: new Request(request, { body: await request.arrayBuffer() }), finish: async () => {} };
  }
  const { readable, writable } = new TransformStream();
  const [reader, writer] = [request.body.getReader(), writable.getWriter()];
  let is_wanted = true;
  const { promise: answered, resolve: answer } = Promise.withResolvers();
  const stopWriting = () => {
    is_wanted = false;
  };
  const pumpBody = async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (is_wanted) await Promise.race([writer.write(next.value).catch(stopWriting), answered]);
    }
    await Promise.race([is_wanted ? writer.close().catch(stopWriting) : writer.abort().catch(stopWriting), answered]);
  };
  const pumped = pumpBody().catch((error) => writer.abort(error).catch(stopWriting));
  return {
    asked: new Request(request, { body: readable }),
    finish() {
      stopWriting();
      answer();
      return pumped;
    },
  };
}

export default {
  async fetch(received, env) {
    // Only a site on one machine has a front.
    const request = env.FRONT_KEY ? fromFront(received, env.FRONT_KEY) : received;
    if (!request) return new Response(null, { status: 421 });
    const { asked, finish } = await readAhead(request);
    const response = await env.WEB.fetch(asked);
    await finish();
    const coding = codingFor(request);
    if (!coding || !response.body || response.headers.has("content-encoding")) return response;
    if (!COMPRESSIBLE.test(response.headers.get("content-type") ?? "")) return response;
    // workerd compresses the body as the header Content-Encoding says.
    const compressed = new Response(response.body, response);
    compressed.headers.set("content-encoding", coding);
    compressed.headers.append("vary", "accept-encoding");
    return compressed;
  },
};
