import { Link } from "react-router";
import { FieldErrors } from "../ui/form-errors.tsx";
import type { Choice } from "../ui/radios.tsx";
import { attributesOf, Cards, Labelled, type PostField } from "./fields.tsx";
import type { PostPage } from "./post-loader.ts";

/** The form's fields for audience, publication time, category and comments. */
export function PostSettings(props: {
  page: PostPage;
  field: (name: string, label: string, hint?: PostField["hint"]) => PostField;
}) {
  const { page, field } = props;
  const { categories, plans, event } = page;
  const category = field(
    "event_category_id",
    "カテゴリー",
    <Link to="/my/posts/categories">カテゴリーを管理する</Link>,
  );
  const publish_at = field("publish_at", "公開する日時（日本時間）");
  const scopes: Choice[] = [
    { value: "public", label: "全員に公開", note: "だれでも読めます。" },
    { value: "fans", label: "フォロワー限定", note: "あなたをフォローしている人が読めます。" },
    ...plans.map(({ membership_id, title }) => ({
      value: `memberships:${membership_id}`,
      label: `メンバー限定（${title}）`,
      note: "このプランに加入している人が読めます。",
    })),
  ];
  const whens: Choice[] = [
    {
      value: "now",
      label: event?.status === "published" ? "公開したまま更新する" : "いますぐ公開する",
    },
    ...(event?.status === "published" ? [] : [{ value: "at", label: "日時を決めて公開する" }]),
    { value: "private", label: "非公開にする", note: "あなただけが見られます。" },
  ];
  return (
    <section className="card form" aria-labelledby="settings-title">
      <h2 className="section-title" id="settings-title">
        公開の設定
      </h2>
      <Cards {...field("visibility", "公開範囲")} choices={scopes} />
      <Cards {...field("when", "公開のしかた")} choices={whens}>
        <div className="field when-at">
          <label htmlFor="post-publish_at">{publish_at.label}</label>
          <input
            type="datetime-local"
            className="control"
            defaultValue={publish_at.value}
            {...attributesOf(publish_at)}
          />
          <FieldErrors errors={publish_at.errors} id="post-publish_at-error" />
        </div>
      </Cards>
      <Labelled {...category}>
        <select className="control" defaultValue={category.value} {...attributesOf(category)}>
          <option value="">カテゴリーなし</option>
          {categories.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </Labelled>
      <Labelled {...field("comment_filter", "コメント")}>
        <select
          className="control"
          defaultValue={field("comment_filter", "").value || "all"}
          {...attributesOf(field("comment_filter", ""))}
        >
          <option value="all">受け付ける</option>
          <option value="paid_only">有料コメントだけ受け付ける</option>
          <option value="none">受け付けない</option>
        </select>
      </Labelled>
    </section>
  );
}
