import { data, redirect } from "react-router";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { loginPath } from "../../request/to.ts";
import { viewerContext } from "../../session/context.ts";
import type { Handle } from "../../shell/layout.ts";
import { aimOf } from "../../sign-in/aim.ts";
import { startFederated } from "../../sign-in/federated.ts";
import { identityProvider } from "../../sign-in/identity-providers.ts";
import { requireRecentSignIn } from "../../sign-in/recent-sign-in.ts";
import { refusalOf } from "../../sign-in/refusals.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import type { Route } from "./+types/with.ts";
import { backOf } from "./back.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "ログイン", is_unlisted: true });

/** The page has no navigation, so that nothing distracts from the form. */
export const handle: Handle = { layout: "plain" };

/** Only buttons post here. A GET may not redirect, because React Router runs this loader again after a refused form. */
export function loader({ params }: Route.LoaderArgs) {
  if (!identityProvider(params.provider)) throw data(null, { status: 404 });
  return null;
}

export async function action({ request, url, params, context }: Route.ActionArgs) {
  const provider = identityProvider(params.provider);
  if (!provider) throw data(null, { status: 404 });
  const aim = aimOf(await request.formData());
  if (aim.purpose !== "sign_in" && !context.get(viewerContext)) return redirect(loginPath(aim.to), 303);
  if (aim.purpose === "link") await requireRecentSignIn(context, new URL(aim.to, url));
  try {
    return await startFederated(context, provider, { ...aim, url });
  } catch (error) {
    const { status, message } = refusalOf(context, error);
    return data({ message, back: backOf(aim) }, status);
  }
}

export default function NotStarted({ actionData }: Route.ComponentProps) {
  const back = actionData?.back ?? { path: "/login", words: "ログイン画面へ戻る" };
  return (
    <div className="page page-narrow">
      <h1 className="page-title">ログイン</h1>
      <FormErrors
        errors={[actionData?.message ?? "ログインを始められませんでした。ログイン画面からお試しください。"]}
      />
      <ButtonLink to={back.path} is_block>
        {back.words}
      </ButtonLink>
    </div>
  );
}
