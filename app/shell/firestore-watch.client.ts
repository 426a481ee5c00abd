import { deleteApp, initializeApp } from "firebase/app";
import { initializeAuth, inMemoryPersistence, signInWithCustomToken } from "firebase/auth";
import { doc, initializeFirestore, onSnapshot } from "firebase/firestore";
import type { WatchedDocument } from "../../workers/contract/sign-out-watch.ts";

/**
 * Watches a Firestore document that is created when this sign-in ends, here or in a sibling product. Loaded only in
 * deployments that use it, because the SDK is larger than everything else on a page. Returns a function that stops the
 * watch; a failure stops it too. Source: spec section 4, Global sign-out.
 */
export function watchFirestore(
  { apiKey, projectId, token, path }: WatchedDocument,
  onSignedOut: () => void,
  onFailure: () => void,
): () => void {
  // Each Firebase app needs a new name, because a failed watch is started again with a new app.
  const app = initializeApp({ apiKey, projectId }, crypto.randomUUID());
  // The SDK must store nothing: the session is in our cookie.
  const auth = initializeAuth(app, { persistence: inMemoryPersistence });
  let is_over = false;
  function endWatch() {
    if (is_over) return;
    is_over = true;
    // This call also closes the connection and stops renewing the token.
    deleteApp(app).catch(() => {});
  }
  function failWatch() {
    if (is_over) return;
    endWatch();
    onFailure();
  }
  signInWithCustomToken(auth, token)
    .then(() => {
      if (is_over) return;
      const watched = doc(initializeFirestore(app, {}), path);
      onSnapshot(watched, (document) => document.exists() && onSignedOut(), failWatch);
    })
    .catch(failWatch);
  return endWatch;
}
