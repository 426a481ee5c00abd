import { useRef, useState } from "react";
import { useInputEventOnChange } from "../../../forms/use-input-event-on-change.ts";
import { Avatar } from "../../../people/avatar.tsx";
import { Button } from "../../../ui/button.tsx";
import { FieldErrors } from "../../../ui/form-errors.tsx";
import { UploadField } from "../../../uploads/upload-field.tsx";
import type { PictureName } from "./profile-values.ts";

const TYPES = "image/png,image/jpeg,image/webp,image/avif,image/gif";

/**
 * The icon or cover of a profile: keep, replace or remove it. With JavaScript a chosen file is uploaded at once,
 * otherwise by the button. Either way it becomes part of the profile when the form is saved.
 */
export function PictureChoice({
  name,
  label,
  hint,
  image_id,
  refusal,
}: {
  name: PictureName;
  label: string;
  hint: string;
  /** The id of the picture. Empty if there is no picture. */
  image_id: string;
  /** The reason why the last upload was refused. */
  refusal: readonly string[] | undefined;
}) {
  const [id, setId] = useState(image_id);
  const [is_told, setTold] = useState(true);
  const field = useRef<HTMLInputElement>(null);
  useInputEventOnChange(field, id);
  const errors = is_told ? refusal : undefined;
  return (
    <div className="picture-choice">
      <input ref={field} type="hidden" name={`${name}_image_id`} value={id} />
      <div className={`picture-now picture-${name}`}>
        {id !== "" && <img src={`/media/${id}/medium`} alt={`${label}（いまの画像）`} />}
        {id === "" && name === "icon" && <Avatar image={null} size={96} />}
      </div>
      <UploadField
        id={`profile-${name}`}
        label={label}
        accept={TYPES}
        profile_field={`${name}_file`}
        onUploaded={({ image }) => {
          if (!image) return;
          setId(image.image_id);
          setTold(false);
        }}
        input_attributes={{
          "aria-invalid": errors ? true : undefined,
          "aria-describedby": errors ? `profile-${name}-hint profile-${name}-error` : `profile-${name}-hint`,
          autoFocus: Boolean(errors),
        }}
        notes={
          <>
            <p
              className="field-hint"
              id={`profile-${name}-hint`}
            >{`${hint}JPEG・PNG・WebP・AVIF・GIF、10MBまで。「保存する」を押すと反映されます。`}</p>
            <FieldErrors errors={errors} id={`profile-${name}-error`} />
          </>
        }
      />
      {id !== "" && (
        <Button
          name="operation"
          value={`remove_${name}`}
          variant="gray-outline"
          size="sm"
          onClick={(event) => {
            event.preventDefault();
            setId("");
          }}
        >
          {`${label}を外す`}
        </Button>
      )}
    </div>
  );
}
