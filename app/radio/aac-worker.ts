import { type AacPort, serveAac } from "./aac-service.ts";

// A worker, so that a busy page does not delay the sound. `self` has the types of a page here.
serveAac(self as unknown as AacPort);
