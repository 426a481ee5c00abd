/**
 * Deletes what this browser stores about a member who leaves, so that the next user of the browser cannot see it: unsent
 * words, the keys of forms, likes, the chats in which they wrote, the creator whom they viewed last, their filter of the
 * timeline and their choice of the banner about paid comments. By name, so that no page loads the keys of other pages for it.
 *
 * @param keeps_keys whether the member signs in again, and sends a form under its key.
 */
export function forgetMember(keeps_keys = false): void {
  try {
    const tab = sessionStorage;
    tab.removeItem("unsentWords");
    if (!keeps_keys) tab.removeItem("sentKeys");
    for (const name of Object.keys(localStorage))
      if (/^(like-|chat|hide|last|time)/.test(name)) localStorage.removeItem(name);
  } catch {
    // Without storage, nothing was stored.
  }
}
