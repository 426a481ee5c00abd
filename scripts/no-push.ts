import { openPush } from "../workers/api/push/client.ts";

/** A deployment without keys for push notifications: it offers none and sends none. */
export const noPush = openPush({ ENVIRONMENT: "local" }, { fetch: async () => new Response(null, { status: 404 }) });
