/**
 * The service worker of push notifications. It has no fetch handler, so that pages load as they do without it.
 * app/browser/push.ts registers it when a member turns push notifications on. docs/decisions/0037.
 */

/** The page that turns push notifications on, also for a subscription that the browser replaced. */
const SETTINGS = "/my/settings/notifications";

self.addEventListener("push", (event) => {
  const { title, body, path, tag } = event.data.json();
  event.waitUntil(
    self.registration.showNotification(title, { body, tag, lang: "ja", icon: "/icon-192.png", data: { path } }),
  );
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const address = new URL(event.notification.data.path, location.origin);
  if (address.origin === location.origin) event.waitUntil(openPage(address.href));
});

/** Shows the page if it is open. Never navigates another page of ours, which may have words that are not sent. */
async function openPage(href) {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const open = windows.find(({ url }) => url === href);
  return open ? open.focus() : self.clients.openWindow(href);
}

self.addEventListener("pushsubscriptionchange", (event) => {
  event.waitUntil(replaceSubscription(event));
});

/**
 * Sends the new subscription as the settings page does, and the old one: another member may be signed in now. Without the
 * session, the member has to turn it on again.
 */
async function replaceSubscription({ oldSubscription, newSubscription }) {
  const subscription = newSubscription ?? (await self.registration.pushManager.subscribe(oldSubscription?.options));
  const { endpoint, keys } = subscription.toJSON();
  const replaces = oldSubscription?.endpoint ?? "";
  const body = new URLSearchParams({ do: "push_on", endpoint, p256dh: keys.p256dh, auth: keys.auth, replaces });
  await fetch(SETTINGS, { method: "POST", body });
}
