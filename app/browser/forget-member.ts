/**
 * Deletes what this browser stores about a member who leaves, so that the next user of the browser cannot see it: unsent
 * words, likes, the chats in which they wrote, the creator whom they viewed last and their filter of the timeline. By
 * name, so that no page loads the keys of other pages for it.
 */
export function forgetMember(): void {
  try {
    sessionStorage.removeItem("unsentWords");
    for (const name of Object.keys(localStorage))
      if (/^like-|^chatted|^last|^timeline/.test(name)) localStorage.removeItem(name);
  } catch {
    // Without storage, nothing was stored.
  }
}
