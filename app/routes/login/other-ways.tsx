import { LetterIcon } from "../../shell/icons.tsx";
import type { Aim } from "../../sign-in/aim.ts";
import { type IdentityProvider, identityProviders } from "../../sign-in/identity-providers.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { AimFields } from "./aim-fields.tsx";
import { PhoneIcon } from "./phone-icon.tsx";
import { ProviderMark } from "./provider-mark.tsx";

/** The button texts that each provider's guidelines require. */
const wordings: Readonly<Record<IdentityProvider["slug"], Record<"login" | "signup", string>>> = {
  google: { login: "Googleでログイン", signup: "Googleで登録" },
  apple: { login: "Appleでサインイン", signup: "Appleで登録" },
  x: { login: "Xでログイン", signup: "Xで登録" },
  line: { login: "LINEでログイン", signup: "LINEで登録" },
};

/** The buttons of other providers. Forms rather than links, because they start a sign-in on the server. */
export function ProviderButtons(props: {
  aim: Aim;
  providers?: readonly IdentityProvider[];
  words?: "login" | "signup";
}) {
  const { aim, providers = identityProviders, words = "login" } = props;
  return providers.map(({ slug }) => (
    <form key={slug} method="post" action={`/login/with/${slug}`}>
      <AimFields aim={aim} />
      <Button variant="gray-outline" is_block>
        <ProviderMark slug={slug} />
        {wordings[slug][words]}
      </Button>
    </form>
  ));
}

/**
 * All ways to sign in except address and password. A mailed link and a phone number create an account if there is none.
 *
 * @param has_outside_ways of the site: other providers, and SMS.
 */
export function OtherWays(props: { to: string; words: "login" | "signup"; has_outside_ways: boolean }) {
  const { to, words, has_outside_ways } = props;
  const query = to === "/" ? "" : `?${new URLSearchParams({ to })}`;
  return (
    <>
      <p className="or">または</p>
      {has_outside_ways && (
        <div className="ways">
          <ProviderButtons aim={{ to, purpose: "sign_in" }} words={words} />
        </div>
      )}
      <div className="ways ways-own">
        <ButtonLink to={`/login/link${query}`} variant="gray-outline">
          <LetterIcon />
          {words === "login" ? "メールでログインリンクを受け取る" : "メールのリンクで登録"}
        </ButtonLink>
        {has_outside_ways && (
          <ButtonLink to={`/login/phone${query}`} variant="gray-outline">
            <PhoneIcon />
            {words === "login" ? "電話番号でログイン" : "電話番号で登録"}
          </ButtonLink>
        )}
      </div>
    </>
  );
}
