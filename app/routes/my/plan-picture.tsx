import { Link } from "react-router";
import { updateMembership } from "../../../workers/contract/memberships.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { refuseFile } from "../../uploads/file-field.tsx";
import type { Route } from "./+types/plan-picture.ts";
import { readPictureForm } from "./picture-action.ts";
import { PictureForm } from "./picture-form.tsx";
import { readOwnPlan, returnToPlans } from "./plan-action.ts";
import { PLANS_PATH, picturePath } from "./plan-state.ts";

const TITLE = "プランの画像";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: TITLE, is_unlisted: true });

export async function loader({ params, context }: Route.LoaderArgs) {
  const { membership_id, title, image } = await readOwnPlan(context.get(v4Context), params.membership_id);
  return { membership_id, title, image };
}

export async function action({ request, params, context }: Route.ActionArgs) {
  const read = await readPictureForm(request, context);
  if ("refusal" in read) return read.refusal;
  const sent = await context.get(v4Context).send(updateMembership, { params, body: read });
  return sent.ok ? returnToPlans(context, "plan_saved") : refuseFile(sent.refusal);
}

export default function PlanPicturePage({ loaderData, actionData }: Route.ComponentProps) {
  const { membership_id, title, image } = loaderData;
  return (
    <>
      <p className="back">
        <Link to={`${PLANS_PATH}/${membership_id}/edit`}>「{title}」の編集へ戻る</Link>
      </p>
      <h1 className="page-title">{TITLE}</h1>
      <PictureForm
        id="plan-picture"
        action={picturePath(membership_id)}
        image={image}
        hint="横長（2：1くらい）で表示します。"
        refusal={actionData}
      />
    </>
  );
}
