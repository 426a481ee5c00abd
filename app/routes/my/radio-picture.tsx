import { Link } from "react-router";
import { updateRadio } from "../../../workers/contract/radios.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { refuseFile } from "../../uploads/file-field.tsx";
import type { Route } from "./+types/radio-picture.ts";
import { readPictureForm } from "./picture-action.ts";
import { PictureForm } from "./picture-form.tsx";
import { bodyOf, readOwnRadio, returnToRadios } from "./radio-action.ts";
import { editPath, picturePath } from "./radio-path.ts";

const TITLE = "ラジオの画像";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: TITLE, is_unlisted: true });

export async function loader({ params, context }: Route.LoaderArgs) {
  const { radio_id, title, image } = await readOwnRadio(context.get(v4Context), params.radio_id);
  return { radio_id, title, image };
}

export async function action({ request, params, context }: Route.ActionArgs) {
  const read = await readPictureForm(request, context);
  if ("refusal" in read) return read.refusal;
  const v4 = context.get(v4Context);
  const radio = await readOwnRadio(v4, params.radio_id);
  const sent = await v4.send(updateRadio, { params, body: { ...bodyOf(radio), ...read } });
  return sent.ok ? returnToRadios(context, "radio_saved") : refuseFile(sent.refusal);
}

export default function RadioPicturePage({ loaderData, actionData }: Route.ComponentProps) {
  const { radio_id, title, image } = loaderData;
  return (
    <>
      <p className="back">
        <Link to={editPath(radio_id)}>「{title}」の編集へ戻る</Link>
      </p>
      <h1 className="page-title">{TITLE}</h1>
      <PictureForm
        id="radio-picture"
        action={picturePath(radio_id)}
        image={image}
        hint="聴ける人にだけ表示します。"
        refusal={actionData}
      />
    </>
  );
}
