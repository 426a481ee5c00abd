import { Form } from "react-router";
import type { Image } from "../../../workers/contract/fields.ts";
import { Button } from "../../ui/button.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { HiddenFields } from "../../ui/hidden-fields.tsx";
import { FileField, type FileRefusal, formErrorOf } from "../../uploads/file-field.tsx";

/** The form that replaces or removes the one picture of a plan or a radio. `readPictureForm` reads it. */
export function PictureForm(props: {
  id: string;
  action: string;
  /** The present picture, null without one. */
  image: Pick<Image, "medium_url"> | null;
  /** How the picture will be shown. */
  hint: string;
  refusal: FileRefusal | undefined;
}) {
  const { id, action, image, hint, refusal } = props;
  return (
    <Form method="post" action={action} encType="multipart/form-data" reloadDocument className="card form">
      <HiddenFields />
      <FormErrors errors={formErrorOf(refusal)} answer={refusal} />
      {image && <img className="plan-picture" src={image.medium_url} alt="いまの画像" />}
      <FileField
        id={id}
        label="画像のファイル"
        hint={`${hint}JPEG・PNG・WebP・AVIF・GIF、10MBまで。`}
        refusal={refusal}
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
  );
}
