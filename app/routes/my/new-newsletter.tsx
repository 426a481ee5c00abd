import { Link } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { listOwnNewsletters } from "../../../workers/contract/newsletters.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { keptForm } from "../../forms/intent.ts";
import { readOwnPlans } from "../../post/own-plans.ts";
import { v4Context } from "../../request/context.ts";
import { viewerContext } from "../../session/context.ts";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import type { Route } from "./+types/new-newsletter.ts";
import { MonetizePrompt } from "./monetize-prompt.tsx";
import { AUDIENCES, answerNewsletter, receiveNewsletter } from "./newsletter-action.ts";
import { NewsletterForm } from "./newsletter-form.tsx";
import { NEWSLETTERS_PATH } from "./newsletter-path.ts";
import { readNewsletterValues } from "./newsletter-values.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "ニュースレターを作る", is_unlisted: true });

export async function loader({ context }: Route.LoaderArgs) {
  const profile = context.get(viewerContext)?.profile;
  if (profile && !profile.is_creator) return { page: null };
  const v4 = context.get(v4Context);
  const [kept, own, plans] = await Promise.all([
    keptForm(context, `${NEWSLETTERS_PATH}/new`),
    v4.part(listOwnNewsletters, AUDIENCES),
    readOwnPlans(v4, null),
  ]);
  return {
    page: {
      viewer_id: profile?.user_id ?? null,
      values: kept ? readNewsletterValues(kept) : { ...readNewsletterValues(new FormData()), audience: "fans" },
      images: [],
      plans,
      idempotency_key: crypto.randomUUID(),
      remaining_count: own?.remaining_count ?? null,
      audiences: own?.audiences ?? [],
      saved: null,
    },
  };
}

/** The form's script may have saved a draft meanwhile, whose id is in the form then. */
export async function action({ request, context }: Route.ActionArgs) {
  const received = await receiveNewsletter(request, context);
  return answerNewsletter(context, received, id.safeParse(received.form.get("newsletter_id")).data ?? null);
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

/** Only creators can write newsletters. Source: spec section 6. */
export default function NewNewsletter({ loaderData, actionData }: Route.ComponentProps) {
  const { page } = loaderData;
  return (
    <>
      <p className="back">
        <Link to={NEWSLETTERS_PATH}>ニュースレターへ戻る</Link>
      </p>
      <h1 className="page-title">ニュースレターを作る</h1>
      {page ? (
        <NewsletterForm page={page} answer={actionData} />
      ) : (
        <MonetizePrompt title="ニュースレターを作るには、収益化登録が必要です">
          <p>登録すると、フォロワーへメールの便りを送れるようになります。</p>
        </MonetizePrompt>
      )}
    </>
  );
}
