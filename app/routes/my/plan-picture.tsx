import { Form, Link } from "react-router";
import { errorCatalogue } from "../../../workers/contract/errors.ts";
import { updateMembership } from "../../../workers/contract/memberships.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { refuseAuthor } from "../../forms/authorship.ts";
import { receiveOwnUploads } from "../../forms/receive-own-uploads.ts";
import { v4Context } from "../../request/context.ts";
import { Button } from "../../ui/button.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { HiddenFields } from "../../ui/hidden-fields.tsx";
import { FileField, formErrorOf, refuseFile } from "../../uploads/file-field.tsx";
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
    if (not_theirs) return refuseFile(not_theirs);
    const [refusal] = refused;
    if (refusal) return refuseFile(refusal.refusal, "picture");
    if (image_id === null && form.get("do") !== "remove") {
      return refuseFile({ detail: "画像のファイルを選んでください。", status: 422 }, "picture");
    }
    const sent = await v4.send(updateMembership, { params, body: { image_id } });
    return sent.ok ? returnToPlans(context, "plan_saved") : refuseFile(sent.refusal);
  } catch (error) {
    if (!(error instanceof UnreadableForm)) throw error;
    return refuseFile(errorCatalogue.bad_request);
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
        <FormErrors errors={formErrorOf(actionData)} answer={actionData} />
        {image && <img className="plan-picture" src={image.medium_url} alt="いまの画像" />}
        <FileField
          id="plan-picture"
          label="画像のファイル"
          hint="横長（2：1くらい）で表示します。JPEG・PNG・WebP・AVIF・GIF、10MBまで。"
          refusal={actionData}
          input={{ name: "picture", accept: "image/png,image/jpeg,image/webp,image/avif,image/gif" }}
        />
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
