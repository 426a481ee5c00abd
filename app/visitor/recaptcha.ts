/**
 * Loaded only by pages that have a code sent to a telephone where Firebase sends it, and what it needs only once a form is
 * sent: Firebase's own check that the sender is no robot. The form itself goes where it would have gone.
 */

/** The check, as it asks for a token of the form it is in. */
async function openVerifier(form: HTMLFormElement, field: HTMLInputElement) {
  const [{ initializeApp }, { initializeAuth, inMemoryPersistence, RecaptchaVerifier }] = await Promise.all([
    import("firebase/app"),
    import("firebase/auth"),
  ]);
  const { apiKey = "", projectId = "" } = field.dataset;
  // A name of its own each time: a check that failed is begun anew.
  const app = initializeApp({ apiKey, projectId, authDomain: `${projectId}.firebaseapp.com` }, crypto.randomUUID());
  const auth = initializeAuth(app, { persistence: inMemoryPersistence });
  return new RecaptchaVerifier(auth, form.appendChild(document.createElement("div")), { size: "invisible" });
}

/** Checks under way. One may show a puzzle, and nobody hears when that is closed unsolved. */
const checks = new WeakMap<HTMLFormElement, ReturnType<typeof openVerifier>>();
/** Forms that go when they are sent next, checked or not: a token is good once. */
const tried = new WeakSet<HTMLFormElement>();

async function hold(event: SubmitEvent): Promise<void> {
  const form = event.target as HTMLFormElement;
  const field = form.querySelector<HTMLInputElement>("input[name=recaptcha_token]");
  if (!field || tried.delete(form)) return;
  event.preventDefault();
  const begun = checks.get(form);
  if (begun) {
    // Pressed again: a puzzle that was closed is shown again, and who pressed first goes on with its answer.
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
    // Without a token the provider refuses, and the page says why.
    console.error(error);
  }
  checks.delete(form);
  tried.add(form);
  form.requestSubmit(submitter);
}

// Before whatever the page itself does with a form that is sent.
document.addEventListener("submit", hold, true);
