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

/** Forms that wait for their token: pressed again meanwhile, they go on waiting. */
const waiting = new WeakSet<HTMLFormElement>();
/** Forms that have it, or for which there was none to be had. */
const tried = new WeakSet<HTMLFormElement>();

async function hold(event: SubmitEvent): Promise<void> {
  const form = event.target as HTMLFormElement;
  const field = form.querySelector<HTMLInputElement>("input[name=recaptcha_token]");
  if (field?.value !== "" || tried.has(form)) return;
  event.preventDefault();
  if (waiting.has(form)) return;
  waiting.add(form);
  const { submitter } = event;
  try {
    field.value = await (await openVerifier(form, field)).verify();
  } catch (error) {
    // Without a token the provider refuses, and the page says why.
    console.error(error);
  }
  tried.add(form);
  form.requestSubmit(submitter);
}

// Before whatever the page itself does with a form that is sent.
document.addEventListener("submit", hold, true);
