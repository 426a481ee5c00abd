import recaptchaScript from "virtual:recaptcha-script";

/** The data attributes that the reCAPTCHA script reads. Null if the identity provider does not require reCAPTCHA. */
export interface Recaptcha {
  api_key: string;
  project_id: string;
}

/**
 * The hidden field of forms that send an SMS code. When such a form is submitted, a separate script fills the field,
 * because Firebase sends codes only with a reCAPTCHA token. Renders nothing if the provider does not require reCAPTCHA.
 */
export function RecaptchaField({ recaptcha }: { recaptcha: Recaptcha | null }) {
  if (!recaptcha) return null;
  return (
    <>
      <input
        type="hidden"
        name="recaptcha_token"
        data-api-key={recaptcha.api_key}
        data-project-id={recaptcha.project_id}
      />
      <noscript>
        <p className="notice">SMSを送るには、JavaScriptを有効にしてください（自動送信でないことの確認に使います）。</p>
      </noscript>
      <script type="module" src={recaptchaScript} />
    </>
  );
}
