import { data, Form, Link } from "react-router";
import { errorCatalogue } from "../../../workers/contract/errors.ts";
import { updateMembership } from "../../../workers/contract/memberships.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { refuseAuthor } from "../../forms/authorship.ts";
import { receiveOwnUploads } from "../../forms/receive-own-uploads.ts";
import { v4Context } from "../../request/context.ts";
import { Button } from "../../ui/button.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { HiddenFields } from "../../ui/hidden-fields.tsx";
import { UnreadableForm } from "../../uploads/receive.ts";
import type { Route } from "./+types/plan-picture.ts";
import { readOwnPlan, returnToPlans } from "./plan-action.ts";
import { PLANS_PATH, picturePath } from "./plan-state.ts";

const TITLE = "プランの画像";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: TITLE, is_unlisted: true });

export async function loader({ params, context }: Route.LoaderArgs) {
  const { membership_id, title, image } = await readOwnPlan(context.get(v4Context), params.membership_id);
  return { membership_id, title, image };
}

/** Takes the chosen file, or takes the picture away. The picture is re-encoded like every upload. */
export async function action({ request, params, context }: Route.ActionArgs) {
  const v4 = context.get(v4Context);
  try {
    const { form, image_of, refused } = await receiveOwnUploads(request, context, "public");
    const image_id = image_of.get("picture")?.image_id ?? null;
    const not_theirs = refuseAuthor(context, form);
    if (not_theirs) return data({ error: not_theirs.detail }, not_theirs.status);
    const [refusal] = refused;
    if (refusal) return data({ error: refusal.refusal.detail }, refusal.refusal.status);
    if (image_id === null && form.get("do") !== "remove") {
      return data({ error: "画像のファイルを選んでください。" }, 422);
    }
    const sent = await v4.send(updateMembership, { params, body: { image_id } });
    return sent.ok ? returnToPlans(context, "plan_saved") : data({ error: sent.refusal.detail }, sent.refusal.status);
  } catch (error) {
    if (!(error instanceof UnreadableForm)) throw error;
    const { status, detail } = errorCatalogue.bad_request;
    return data({ error: detail }, status);
  }
}

export default function PlanPicturePage({ loaderData, actionData }: Route.ComponentProps) {
  const { membership_id, title, image } = loaderData;
  return (
    <>
      <p className="back">
        <Link to={`${PLANS_PATH}/${membership_id}/edit`}>「{title}」の編集へ戻る</Link>
      </p>
      <h1 className="page-title">{TITLE}</h1>
      <Form
        method="post"
        action={picturePath(membership_id)}
        encType="multipart/form-data"
        reloadDocument
        className="card form"
      >
        <HiddenFields />
        <FormErrors errors={actionData?.error ? [actionData.error] : null} answer={actionData} />
        {image && <img className="plan-picture" src={image.medium_url} alt="いまの画像" />}
        <div className="field">
          <label htmlFor="plan-picture">画像のファイル</label>
          <input
            id="plan-picture"
            type="file"
            name="picture"
            accept="image/png,image/jpeg,image/webp,image/avif,image/gif"
          />
          <p className="field-hint">横長（2：1くらい）で表示します。JPEG・PNG・WebP・AVIF・GIF、10MBまで。</p>
        </div>
        <div className="form-buttons">
          <Button name="do" value="save">
            この画像にする
          </Button>
          {image && (
            <Button name="do" value="remove" variant="gray-outline">
              画像を外す
            </Button>
          )}
        </div>
      </Form>
    </>
  );
}
