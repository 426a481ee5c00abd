import { initializeApp } from "firebase/app";
import { initializeAuth, inMemoryPersistence, signInWithCustomToken } from "firebase/auth";
import { doc, initializeFirestore, onSnapshot } from "firebase/firestore";
import type { WatchedDocument } from "../routes/session-state.ts";

/**
 * Watches the document that exists once this sign-in was ended, here or in a sibling product. Loaded only where the deployment
 * says so: the SDK is larger than everything else on a page. Source: spec section 4, Global sign-out.
 */
export function watchFirestore(
  { apiKey, projectId, token, path }: WatchedDocument,
  onSignedOut: () => void,
  onFailure: () => void,
): () => void {
  // A name of its own each time: a watch that failed is begun anew.
  const app = initializeApp({ apiKey, projectId }, crypto.randomUUID());
  // Nothing of the SDK's is kept: the session is the cookie's.
  const auth = initializeAuth(app, { persistence: inMemoryPersistence });
  let stop: (() => void) | undefined;
  let is_over = false;
  signInWithCustomToken(auth, token)
    .then(() => {
      if (is_over) return;
      const watched = doc(initializeFirestore(app, {}), path);
      stop = onSnapshot(watched, (document) => document.exists() && onSignedOut(), onFailure);
    })
    .catch(onFailure);
  return () => {
    is_over = true;
    stop?.();
  };
}
