/** The uploads of a form. The text refers to an upload by the last letters of its id. */
export interface Uploads {
  image_ids: readonly string[];
  media_ids: readonly string[];
}

const CODE_LENGTH = 5;

/** Returns the code of an upload in the text: the end of its id, or the whole id if the end is ambiguous. */
function codeOf(id: string, ids: readonly string[]): string {
  const code = id.slice(-CODE_LENGTH);
  const is_known = ids.includes(id) && ids.every((other) => other === id || !other.endsWith(code));
  return is_known ? code : id;
}

export const imageMark = (image_id: string, uploads: Uploads) => `[画像:${codeOf(image_id, uploads.image_ids)}]`;
export const audioMark = (media_id: string, uploads: Uploads) => `[音声:${codeOf(media_id, uploads.media_ids)}]`;
