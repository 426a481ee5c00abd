/** The types of posts, in the order they are offered. `icon` names the icon. Source: spec section 1. */
export const contentTypes = [
  { id: "blog", title: "ブログ・文章", icon: "post" },
  { id: "image", title: "画像", icon: "image" },
  { id: "video", title: "動画", icon: "video" },
] as const;
