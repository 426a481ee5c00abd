/** Whether an address is the page shown now. What it does not say of the page's search stays as it is. */
export function leadsBack(to: URL): boolean {
  const search = new URLSearchParams(location.search);
  return to.pathname === location.pathname && [...to.searchParams].every(([name, value]) => search.get(name) === value);
}

/**
 * The way of a button from a member's page to an address that only takes forms. An answer that leads back to the page the
 * button stands on leaves it as it is scrolled, and only has it read anew. Any other redirect is followed. Forms that go
 * to the page's own address need none of this: app/shell/keep-page.ts. The button's form is a fetcher's.
 */
export async function stayOnPage<Answer>(serverAction: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await serverAction();
  } catch (error) {
    const to = error instanceof Response ? error.headers.get("location") : null;
    if (to !== null && leadsBack(new URL(to, location.href))) return null;
    throw error;
  }
}
