import { createElement, type FunctionComponent } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { createRoutesStub } from "react-router";
import { expect, test } from "vitest";
import CreatorLayout from "../../app/routes/creator/layout.tsx";

const creator = {
  ...{ user_id: "u", link_id: "natsume", name: "なつめ", bio: "", icon_image: null, cover_image: null },
  ...{ followers_count: 0, followings_count: 0, is_followed: false, is_blocked: false },
};
const props = {
  loaderData: { creator, memberships: [], links: [], on_air_radio: null, is_own: false, viewer_id: null },
  params: { link_id: "natsume" },
};

const Layout = () => createElement(CreatorLayout as unknown as FunctionComponent<typeof props>, props);
const Nothing = () => null;

test.each([
  ["/natsume", true],
  ["/natsume/", true],
  ["/natsume//", true],
  ["/natsume/about", false],
])("a creator's whole profile is on the front page alone: %s is %s", (path, is_front) => {
  const children = [{ path: "*", Component: Nothing }];
  const Stub = createRoutesStub([{ path: "/:link_id", Component: Layout, children }]);
  const html = renderToStaticMarkup(createElement(Stub, { initialEntries: [path] }));
  expect(html.includes("<h1")).toBe(is_front);
});
