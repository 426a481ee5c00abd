import { IMAGES_IN_A_DOCUMENT, MEDIA_IN_A_DOCUMENT } from "./bounds.ts";
import type { Block } from "./document.ts";
import { plainText } from "./document-text.ts";
import { embedOf, providerNames } from "./embeds.ts";

/** The fields of a post's body that are judged together. The schema in events.ts judges each of them alone. */
interface JudgedPost extends Target {
  kind: "text" | "image" | "video" | "blog";
  document: readonly Block[];
  images: readonly { image_id: string }[];
  video_url: string | null;
  video_media_id: string | null;
  status: string;
  publish_at: string | null;
}

interface Target {
  publish_target_type: string;
  publish_target_membership_id: string | null;
}

/** A field at fault, and the sentence to show beside it. */
export interface Fault {
  field: string;
  sentence: string;
}

/**
 * Returns what is wrong with a post as a whole: each kind needs its own parts and takes no others. Browsers load this
 * file, so it imports no zod.
 */
export function faultsOf(post: JudgedPost): Fault[] {
  const faults: Fault[] = [];
  const addFault = (field: string, sentence: string) => {
    faults.push({ field, sentence });
  };
  const { kind, document, images, video_url, video_media_id } = post;
  const ofType = <T extends Block["type"]>(type: T) =>
    document.filter((block): block is Extract<Block, { type: T }> => block.type === type);
  const gallery = images.map(({ image_id }) => image_id);
  if (kind === "image") {
    if (gallery.length === 0) addFault("images", "画像を1枚以上選んでください。");
    if (new Set(gallery).size < gallery.length) addFault("images", "同じ画像が2回選ばれています。");
    if (ofType("image").some(({ image_id }) => gallery.includes(image_id)))
      addFault("document", "並べて見せる画像を、本文の中でも使うことはできません。");
  } else if (gallery.length > 0) {
    addFault("images", "画像を並べて見せられるのは、画像の投稿だけです。");
  }
  if (kind === "video") {
    if (video_url === null && video_media_id === null)
      addFault("video_url", "動画のURLを入力するか、動画をアップロードしてください。");
    if (video_url !== null && video_media_id !== null)
      addFault("video_url", "動画のURLとアップロードした動画は、どちらか一方にしてください。");
  } else if (video_url !== null || video_media_id !== null) {
    addFault("video_url", "動画を付けられるのは、動画の投稿だけです。");
  }
  const shows = document.some(({ type }) => ["image", "audio", "embed"].includes(type));
  if ((kind === "blog" || kind === "text") && !shows && plainText(document).trim() === "")
    addFault("document", "本文を入力してください。");
  if (ofType("image").length > IMAGES_IN_A_DOCUMENT)
    addFault("document", `本文に入れられる画像は${IMAGES_IN_A_DOCUMENT}枚までです。`);
  if (ofType("audio").length > MEDIA_IN_A_DOCUMENT)
    addFault("document", `本文に入れられる音声は${MEDIA_IN_A_DOCUMENT}個までです。`);
  if (ofType("embed").some(({ url }) => embedOf(url) === null))
    addFault("document", `埋め込めないURLが含まれています。埋め込めるのは${providerNames().join("、")}です。`);
  if (post.status === "publish_pending" && post.publish_at === null)
    addFault("publish_at", "公開する日時を指定してください。");
  return [...faults, ...faultsOfTarget(post)];
}

/** Returns a fault when the post is for the members of a plan and names none. */
export function faultsOfTarget(target: Target): Fault[] {
  return target.publish_target_type === "memberships" && target.publish_target_membership_id === null
    ? [{ field: "publish_target_membership_id", sentence: "プランを選んでください。" }]
    : [];
}
