import { type ReactNode, useRef, useState } from "react";
import type { Uploaded } from "../browser/upload.ts";
import { Button } from "./button.tsx";
import { Progress } from "./waiting.tsx";

interface Sending {
  key: number;
  name: string;
  /** From 0 to 1. */
  share: number;
  /** Why it was not taken. */
  refusal: string | null;
}

/**
 * Takes files. As HTML a file input with a button that sends the whole form to /my/uploads; with the script each file goes off as soon
 * as it is chosen, with a bar, and the page is told what became of it.
 */
export function UploadField({
  id,
  label,
  accept,
  notes,
  onUploaded,
}: {
  id: string;
  label: string;
  /** The types of files, as `accept` of an input lists them. */
  accept: string;
  /** Hint and errors, below. */
  notes?: ReactNode;
  onUploaded: (uploaded: Uploaded) => void;
}) {
  const [sendings, setSendings] = useState<readonly Sending[]>([]);
  const count = useRef(0);
  const change = (key: number, changed: Partial<Sending> | null) =>
    setSendings((all) =>
      all.flatMap((each) => {
        if (each.key !== key) return [each];
        return changed ? [{ ...each, ...changed }] : [];
      }),
    );
  const send = async (files: File[]) => {
    const begun = files.map((file) => ({ file, key: ++count.current }));
    setSendings((all) => [
      ...all.filter(({ refusal }) => refusal === null),
      ...begun.map(({ file, key }) => ({ key, name: file.name, share: 0, refusal: null })),
    ]);
    const { upload, UploadRefused } = await import("../browser/upload.ts");
    // One after the other: they stay in the order they were chosen in.
    for (const { file, key } of begun) {
      try {
        onUploaded(await upload(file, { onProgress: (share) => change(key, { share }) }));
        change(key, null);
      } catch (error) {
        if (!(error instanceof UploadRefused)) throw error;
        change(key, { refusal: error.message });
      }
    }
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="upload-row">
        <input
          id={id}
          type="file"
          name="file"
          className="control"
          multiple
          accept={accept}
          onChange={({ currentTarget }) => {
            const files = [...(currentTarget.files ?? [])];
            // Chosen again, the same file is sent again; and the form does not send it once more.
            currentTarget.value = "";
            if (files.length > 0) void send(files);
          }}
        />
        <Button formAction="/my/uploads" formEncType="multipart/form-data" variant="gray-outline">
          アップロード
        </Button>
      </div>
      <ul className="upload-list" aria-live="polite">
        {sendings.map(({ key, name, share, refusal }) => (
          <li key={key}>
            {refusal === null ? (
              <>
                {name}
                {share < 1 ? "" : "（処理しています）"}
                <Progress label={`${name}の送信`} value={share} max={1} />
              </>
            ) : (
              <span className="field-error">
                {name}：{refusal}
              </span>
            )}
          </li>
        ))}
      </ul>
      {notes}
    </div>
  );
}
