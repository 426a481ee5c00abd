/** What a creator may post, in the order it is offered. `icon` names the drawing. Source: spec section 1. */
export const contentTypes = [
  { id: "blog", title: "ブログ・文章", icon: "post" },
  { id: "image", title: "画像", icon: "image" },
  { id: "video", title: "動画", icon: "video" },
] as const;
