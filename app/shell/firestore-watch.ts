import { deleteApp, initializeApp } from "firebase/app";
import { initializeAuth, inMemoryPersistence, signInWithCustomToken } from "firebase/auth";
import { doc, initializeFirestore, onSnapshot } from "firebase/firestore";
import type { WatchedDocument } from "../../workers/contract/sign-out-watch.ts";

/**
 * Watches the document that exists once this sign-in was ended, here or in a sibling product. Loaded only where the deployment
 * says so: the SDK is larger than everything else on a page. Gives what ends the watch; after a failure it has ended by itself.
 * Source: spec section 4, Global sign-out.
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
  let is_over = false;
  function end() {
    if (is_over) return;
    is_over = true;
    // Its connection and what renews its token go with it.
    deleteApp(app).catch(() => {});
  }
  function fail() {
    if (is_over) return;
    end();
    onFailure();
  }
  signInWithCustomToken(auth, token)
    .then(() => {
      if (is_over) return;
      const watched = doc(initializeFirestore(app, {}), path);
      onSnapshot(watched, (document) => document.exists() && onSignedOut(), fail);
    })
    .catch(fail);
  return end;
}
