/** Calls the workers that it is bound to, for scripts/inside.ts. It runs in workerd, so it is plain JavaScript. */
export default {
  async fetch(request, env) {
    if (request.headers.get("authorization") !== env.SECRET) return new Response(null, { status: 403 });
    const { worker, call, at_ms } = await request.json();
    if (call) return env[worker].fetch(call.url, call);
    const scheduledTime = at_ms === undefined ? {} : { scheduledTime: new Date(at_ms) };
    const { outcome } = await env[worker].scheduled({ cron: "* * * * *", ...scheduledTime });
    return new Response(outcome);
  },
};
