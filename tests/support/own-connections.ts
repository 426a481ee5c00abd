import { Agent, setGlobalDispatcher } from "undici";

// `fetch` opens a new connection for each request. workerd closes a connection after five idle seconds. A busy process
// may not notice, and would send its next request into the closed connection.
setGlobalDispatcher(new Agent({ pipelining: 0 }));
