import type { LiveEngine } from "../../workers/contract/live-engine.ts";
import type { RadioSound } from "./worker.ts";

/** Calls the boundary as the product API does: RPC of a service binding. Also reaches the switches of worker.ts. */

interface CallerEnv {
  LIVE: LiveEngine;
  SOUND: DurableObjectNamespace<RadioSound>;
}

export default {
  async fetch(request, env) {
    const { target, method, args } = (await request.json()) as { target: string; method: string; args: unknown[] };
    const called = (target === "engine" ? env.LIVE : env.SOUND.getByName(target)) as unknown as Record<
      string,
      (...args: unknown[]) => Promise<unknown>
    >;
    try {
      return Response.json({ result: (await called[method]?.(...args)) ?? null });
    } catch (error) {
      return Response.json({ error: String(error) });
    }
  },
} satisfies ExportedHandler<CallerEnv>;
