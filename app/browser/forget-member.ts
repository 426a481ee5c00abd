/**
 * Deletes what this browser stores about a member who leaves, so that the next user of the browser cannot see it: unsent
 * words, the keys of forms, likes, the chats in which they wrote, the creator whom they viewed last, their filter of the
 * timeline and their choice of the banner about paid comments. By name, so that no page loads the keys of other pages for it.
 */
export function forgetMember(): void {
  try {
    for (const name of ["unsentWords", "sentKeys"]) sessionStorage.removeItem(name);
    for (const name of Object.keys(localStorage))
      if (/^like-|^chatted|^hidePaid|^last|^timeline/.test(name)) localStorage.removeItem(name);
  } catch {
    // Without storage, nothing was stored.
  }
}
