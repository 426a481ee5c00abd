/** Fires the cron triggers of the workers that it is bound to, for scripts/clock.ts. It runs in workerd, so it is plain JavaScript. */
export default {
  async fetch(request, env) {
    if (request.headers.get("authorization") !== env.SECRET) return new Response(null, { status: 403 });
    const { outcome } = await env[await request.text()].scheduled({ cron: "* * * * *" });
    return new Response(outcome);
  },
};
