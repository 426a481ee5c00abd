import { newId } from "../../kernel/ids.ts";
import { logUnexpected } from "../../kernel/log.ts";

/** Returns the answer of the engine of live sound; null when it fails, which is logged, or takes longer than `wait_ms`. */
export async function askEngine<A>(ask: () => Promise<A>, wait_ms: number): Promise<A | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((settle) => {
    timer = setTimeout(settle, wait_ms, null);
  });
  try {
    return await Promise.race([ask(), late]);
  } catch (error) {
    logUnexpected(error, newId(Date.now()));
    return null;
  } finally {
    clearTimeout(timer);
  }
}
