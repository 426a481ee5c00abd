/**
 * Gets a reCAPTCHA token when a form that sends an SMS code is submitted, and then submits the form. Loaded only on
 * those pages when the accounts are at Firebase. Firebase's SDK is loaded on submit.
 */

/** Creates the verifier that produces tokens for a form. */
async function openVerifier(form: HTMLFormElement, field: HTMLInputElement) {
  const [{ initializeApp }, { initializeAuth, inMemoryPersistence, RecaptchaVerifier }] = await Promise.all([
    import("firebase/app"),
    import("firebase/auth"),
  ]);
  const { apiKey = "", projectId = "" } = field.dataset;
  // Each Firebase app needs a new name, because a failed check starts again with a new app.
  const app = initializeApp({ apiKey, projectId, authDomain: `${projectId}.firebaseapp.com` }, crypto.randomUUID());
  const auth = initializeAuth(app, { persistence: inMemoryPersistence });
  return new RecaptchaVerifier(auth, form.appendChild(document.createElement("div")), { size: "invisible" });
}

/**
 * The forms whose check is running. reCAPTCHA may show a puzzle, and sends no event when the person closes it unsolved.
 */
const checks = new WeakMap<HTMLFormElement, ReturnType<typeof openVerifier>>();
/**
 * Forms whose next submit event passes, with or without a token. They are removed after that, because a token is valid
 * once.
 */
const tried = new WeakSet<HTMLFormElement>();

async function holdSubmit(event: SubmitEvent): Promise<void> {
  const form = event.target as HTMLFormElement;
  const field = form.querySelector<HTMLInputElement>("input[name=recaptcha_token]");
  if (!field || tried.delete(form)) return;
  event.preventDefault();
  const begun = checks.get(form);
  if (begun) {
    // The person pressed the button again: show a closed puzzle again. The first press continues when it is solved.
    begun.then((verifier) => verifier.verify()).catch(() => {});
    return;
  }
  const { submitter } = event;
  field.value = "";
  try {
    const check = openVerifier(form, field);
    checks.set(form, check);
    field.value = await (await check).verify();
  } catch (error) {
    // Submit without a token. The provider then refuses, and the page says why.
    console.error(error);
  }
  checks.delete(form);
  tried.add(form);
  form.requestSubmit(submitter);
}

// Listen in the capture phase, to run before the page's own submit handlers.
document.addEventListener("submit", holdSubmit, true);
