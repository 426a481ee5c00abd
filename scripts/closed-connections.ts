/**
 * A whole turn of the event loop. workerd closes a connection that rested for five seconds; a process that was busy for so
 * long (or had no core) has not heard of it yet, and would send its next request into the closed connection.
 */
export async function hearOfClosedConnections(): Promise<void> {
  for (let phase = 0; phase < 2; phase++) await new Promise((done) => setImmediate(done));
}
