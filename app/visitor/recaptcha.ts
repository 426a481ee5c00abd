/**
 * Loaded only by pages that have a code sent to a telephone where Firebase sends it, and what it needs only once a form is
 * sent: Firebase's own check that the sender is no robot. The form itself goes where it would have gone.
 */

/** A form whose field waits for a token is held until it has one. */
async function prove(form: HTMLFormElement, field: HTMLInputElement): Promise<void> {
  const [{ initializeApp, getApps }, { initializeAuth, inMemoryPersistence, RecaptchaVerifier }] = await Promise.all([
    import("firebase/app"),
    import("firebase/auth"),
  ]);
  const { apiKey = "", projectId = "" } = field.dataset;
  const [app = initializeApp({ apiKey, projectId, authDomain: `${projectId}.firebaseapp.com` })] = getApps();
  const auth = initializeAuth(app, { persistence: inMemoryPersistence });
  const verifier = new RecaptchaVerifier(auth, form.appendChild(document.createElement("div")), { size: "invisible" });
  field.value = await verifier.verify();
}

document.addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement;
  const field = form.querySelector<HTMLInputElement>("input[name=recaptcha_token]");
  if (field?.value !== "") return;
  event.preventDefault();
  // Without a token the provider refuses, and the page says why.
  prove(form, field)
    .catch(() => {})
    .then(() => form.submit());
});
