import { redirect } from "react-router";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { loginPath } from "../../request/to.ts";
import type { Handle } from "../../shell/layout.ts";
import { identityProvider } from "../../sign-in/identity-providers.ts";
import { pendingJoin } from "../../sign-in/join.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import type { Route } from "./+types/join.ts";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, { title: "このメールアドレスは登録済みです", is_unlisted: true });

/** The page has no navigation, so that nothing distracts from the two choices. */
export const handle: Handle = { layout: "plain" };

/**
 * Shown after a sign-in with a provider whose verified address belongs to an existing account. Offers to link the two.
 */
export async function loader({ context }: Route.LoaderArgs) {
  const join = await pendingJoin.read(context);
  const provider = identityProvider(join?.provider_id);
  if (!join || !provider) throw redirect("/login");
  return { email: join.email, name: provider.name, login_path: loginPath(join.to) };
}

/** Cancelling does not link the provider. */
export async function action({ context }: Route.ActionArgs) {
  const join = await pendingJoin.take(context);
  return redirect(loginPath(join?.to ?? "/"), 303);
}

export default function Join({ loaderData: { email, name, login_path } }: Route.ComponentProps) {
  return (
    <div className="page page-narrow">
      <h1 className="page-title">このメールアドレスは登録済みです</h1>
      <section className="card form">
        <p>
          <b>{email}</b> のアカウントがすでにあります。
        </p>
        <p>
          ご本人であることを確かめるため、いつもの方法で一度ログインしてください。ログインすると{name}
          が連携され、次からは{name}でもログインできます。
        </p>
        <ButtonLink to={login_path} size="lg" is_block>
          いつもの方法でログイン
        </ButtonLink>
        <form method="post">
          <Button variant="gray-outline" is_block>
            連携せずに戻る
          </Button>
        </form>
      </section>
    </div>
  );
}
