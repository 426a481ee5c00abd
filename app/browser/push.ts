/** The push notifications of this browser. public/push-worker.js shows them. */

const WORKER = "/push-worker.js";

export type PushObstacle = "unsupported" | "denied";

/** Returns why this browser cannot get push notifications; null if it can. */
export function findPushObstacle(): PushObstacle | null {
  const is_supported = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
  if (!is_supported) return "unsupported";
  return Notification.permission === "denied" ? "denied" : null;
}

/**
 * Asks the person for permission, and subscribes this browser at its push service. Call it only on a press. Returns null if
 * the person did not allow it. Throws when the push service does not answer.
 */
export async function subscribeBrowser(
  public_key: string,
): Promise<{ endpoint: string; p256dh: string; auth: string } | null> {
  if ((await Notification.requestPermission()) !== "granted") return null;
  await navigator.serviceWorker.register(WORKER);
  const { pushManager } = await navigator.serviceWorker.ready;
  const subscribe = () => pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: public_key });
  const subscription = await subscribe().catch(async (error: unknown) => {
    // A subscription of an earlier key is in the way.
    const former = await pushManager.getSubscription();
    if (!former) throw error;
    await former.unsubscribe();
    return subscribe();
  });
  const { endpoint = "", keys = {} } = subscription.toJSON();
  return { endpoint, p256dh: keys.p256dh ?? "", auth: keys.auth ?? "" };
}

/** Ends the subscription of this browser, and removes the service worker. */
export async function unsubscribeBrowser(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration(WORKER);
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
  await registration?.unregister();
}
