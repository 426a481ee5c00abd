/**
 * The way of a button from a member's page to its action, where the answer leads back to the page it stands on: the page
 * stays as it is scrolled, and is only read anew. Any other redirect is followed.
 */
export async function stayOnPage<Answer>(serverAction: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await serverAction();
  } catch (error) {
    const location = error instanceof Response ? error.headers.get("location") : null;
    const leads_back =
      location !== null && new URL(location, window.location.href).pathname === window.location.pathname;
    if (leads_back) return null;
    throw error;
  }
}
