import { index, layout, prefix, type RouteConfig, route } from "@react-router/dev/routes";

/** The URL tree. A first segment named here can never be a creator's link_id: fixed paths win over `:link_id`. */
export default [
  index("routes/home.tsx"),
  route("login", "routes/login.tsx"),
  route("logout", "routes/logout.tsx"),
  route("theme", "routes/theme.ts"),
  route("404", "routes/not-found.tsx", { id: "not-found-page" }),
  ...prefix("signup", [
    index("routes/signup/signup.tsx"),
    route("sent", "routes/signup/sent.tsx"),
    route("action", "routes/signup/action.tsx"),
    route("registration", "routes/signup/registration.tsx"),
    route("register_email", "routes/signup/register-email.tsx"),
  ]),
  ...prefix("my", [
    layout("routes/my/layout.tsx", [
      route("box", "routes/my/box.tsx"),
      route("box/:ofuse_id", "routes/my/letter.tsx"),
      route("notifications", "routes/my/notifications.tsx"),
      route("notifications/:notification_id", "routes/my/notification.tsx"),
      route("recent-creator.json", "routes/my/recent-creator.ts"),
    ]),
  ]),
  route("kit", "routes/kit.tsx"),
  ...prefix("news", [index("routes/news/index.tsx"), route(":slug", "routes/news/entry.tsx")]),
  route("usecases", "routes/usecases.tsx"),
  route("help", "routes/help.tsx"),
  route("terms", "routes/terms.tsx"),
  route("privacy", "routes/privacy.tsx"),
  route("external-transmission", "routes/external-transmission.tsx"),
  route("transactions", "routes/transactions.tsx"),
  route("redirect", "routes/redirect.tsx"),
  route("robots.txt", "routes/robots.ts"),
  route("sitemap.xml", "routes/sitemap/index.ts"),
  route("sitemap/:file", "routes/sitemap/file.ts"),
  route("dev/outbox", "routes/dev/outbox.tsx"),
  route("styleguide", "routes/dev/styleguide.tsx"),
  route(":link_id", "routes/creator/layout.tsx", [
    index("routes/creator/posts.tsx"),
    route("about", "routes/creator/about.tsx"),
    route("plans", "routes/creator/plans.tsx"),
    route("ofuse", "routes/creator/ofuse.tsx"),
    route("events/:event_id", "routes/creator/event.tsx"),
    route("follow", "routes/creator/follow.tsx"),
  ]),
  route("*", "routes/not-found.tsx"),
] satisfies RouteConfig;
