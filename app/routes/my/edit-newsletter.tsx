import { Link, redirect } from "react-router";
import { listOwnNewsletters } from "../../../workers/contract/newsletters.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { keptForm } from "../../forms/intent.ts";
import { readOwnPlans } from "../../post/own-plans.ts";
import { v4Context } from "../../request/context.ts";
import { Banner } from "../../ui/banner.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import type { Route } from "./+types/edit-newsletter.ts";
import { AUDIENCES, answerNewsletter, readOwnNewsletter, receiveNewsletter } from "./newsletter-action.ts";
import { NewsletterForm } from "./newsletter-form.tsx";
import { NEWSLETTERS_PATH } from "./newsletter-path.ts";
import { readNewsletterValues, valuesOfNewsletter } from "./newsletter-values.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "ニュースレターを編集", is_unlisted: true });

export async function loader({ params, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const reading = readOwnNewsletter(context, params.newsletter_id);
  const [newsletter, kept, own, plans] = await Promise.all([
    reading,
    keptForm(context, `${NEWSLETTERS_PATH}/${params.newsletter_id}/edit`),
    v4.part(listOwnNewsletters, AUDIENCES),
    readOwnPlans(
      v4,
      reading.then(({ membership_id }) => membership_id),
    ),
  ]);
  const { id, status, publish_at, updated_at, user } = newsletter;
  if (status === "published") throw redirect(`${NEWSLETTERS_PATH}/${id}`);
  return {
    page: {
      viewer_id: user.user_id,
      values: kept ? readNewsletterValues(kept) : valuesOfNewsletter(newsletter),
      images: newsletter.images,
      plans,
      idempotency_key: crypto.randomUUID(),
      remaining_count: own?.remaining_count ?? null,
      audiences: own?.audiences ?? [],
      saved: { id, status, publish_at, updated_at },
    },
  };
}

export async function action({ request, params, context }: Route.ActionArgs) {
  return answerNewsletter(context, await receiveNewsletter(request, context), params.newsletter_id);
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

export default function EditNewsletter({ loaderData, actionData }: Route.ComponentProps) {
  const { page } = loaderData;
  const { id, status, publish_at, updated_at } = page.saved;
  return (
    <>
      <p className="back">
        <Link to={NEWSLETTERS_PATH}>ニュースレターへ戻る</Link>
      </p>
      <h1 className="page-title">ニュースレターを編集</h1>
      {status === "scheduled" && publish_at && (
        <Banner>
          <p>
            <DateTime iso={publish_at} /> に配信します。それまでは、変更も取り消しもできます。
          </p>
        </Banner>
      )}
      <NewsletterForm key={`${id} ${updated_at}`} page={page} answer={actionData} />
    </>
  );
}
