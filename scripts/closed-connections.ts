/**
 * Waits for a whole turn of the event loop, so that this process learns which connections workerd has closed. workerd
 * closes a connection after five idle seconds. A process that was busy for longer has not noticed yet, and its next
 * request would fail on the closed connection.
 */
export async function waitForClosedConnections(): Promise<void> {
  for (let phase = 0; phase < 2; phase++) await new Promise((done) => setImmediate(done));
}
