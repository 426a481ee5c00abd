/** What a post can be made of, in the order it is offered; `icon` names the picture of it. Source: spec section 1. */
export const contentTypes = [
  { id: "blog", title: "ブログ・文章", icon: "blog" },
  { id: "image", title: "画像", icon: "image" },
  { id: "video", title: "動画", icon: "video" },
] as const;
