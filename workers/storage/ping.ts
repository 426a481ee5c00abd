/** Asks a database for a sign of life. Rejects when it does not answer. */
export async function pingDatabase(d1: D1Database): Promise<void> {
  await d1.prepare("SELECT 1").run();
}
