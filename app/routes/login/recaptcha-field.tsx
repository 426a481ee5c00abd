import recaptchaScript from "virtual:recaptcha-script";

/** What the page's script asks with; null where no such thing is asked for. Names: data attributes of the field. */
export interface Recaptcha {
  api_key: string;
  project_id: string;
}

/**
 * In a form that has a code sent to a telephone: filled by a script of its own once the form is sent, for the provider
 * sends to nobody who has not shown to be no robot. Nothing where the provider asks for no such thing.
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
