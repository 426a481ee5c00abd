/** Whether an address is the current page. The address may leave out query parameters of the current page. */
export function isCurrentPage(to: URL): boolean {
  const search = new URLSearchParams(location.search);
  return to.pathname === location.pathname && [...to.searchParams].every(([name, value]) => search.get(name) === value);
}

/**
 * Sends a button's form from a member's page to a route that only accepts forms. If the redirect leads back to the
 * current page, keeps its scroll position and only revalidates it. Follows other redirects. Forms that post to the
 * page's own address use app/shell/keep-page.ts instead. The form must be a fetcher's.
 */
export async function stayOnPage<Answer>(serverAction: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await serverAction();
  } catch (error) {
    const to = error instanceof Response ? error.headers.get("location") : null;
    if (to !== null && isCurrentPage(new URL(to, location.href))) return null;
    throw error;
  }
}
