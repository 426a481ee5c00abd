import { data } from "react-router";
import { pageMeta } from "../../crawlers/page-meta.ts";
import type { Handle } from "../../shell/layout.ts";
import { arriveFederated } from "../../sign-in/federated.ts";
import { identityProvider } from "../../sign-in/identity-providers.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import type { Route } from "./+types/callback.ts";
import { backOf } from "./back.ts";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, { title: titleOf(args.loaderData?.name), is_unlisted: true });

const titleOf = (name = "連携先") => `${name}で確認できませんでした`;

/** The page has no navigation: its only link goes back. */
export const handle: Handle = { layout: "plain" };

/**
 * The redirect target of other identity providers. This GET signs in; the state in its query is valid once, and only in
 * the browser that started the sign-in (app/sign-in/federated.ts).
 */
export async function loader({ request, params, context }: Route.LoaderArgs) {
  const provider = identityProvider(params.provider);
  if (!provider || provider.slug !== params.provider) throw data(null, { status: 404 });
  const { response, refused, aim } = await arriveFederated(context, provider, new URL(request.url));
  if (response) throw response;
  return data({ name: provider.name, message: refused.message, back: backOf(aim) }, refused.status);
}

export default function NotArrived({ loaderData: { name, message, back } }: Route.ComponentProps) {
  return (
    <div className="page page-narrow">
      <h1 className="page-title">{titleOf(name)}</h1>
      <FormErrors errors={[message]} />
      <ButtonLink to={back.path} is_block>
        {back.words}
      </ButtonLink>
    </div>
  );
}
