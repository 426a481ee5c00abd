import { useForm } from "@conform-to/react";
import { data } from "react-router";
import { buttonShape, buttonSize, buttonVariant } from "../../../workers/contract/interface.ts";
import { edgeContext } from "../../middleware/context.ts";
import { pageMeta } from "../../shell/page-meta.ts";
import { Avatar, AvatarLink } from "../../ui/avatar.tsx";
import { Badge, UnreadDot } from "../../ui/badge.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Button, ButtonLink, buttonClass } from "../../ui/button.tsx";
import { CheckField, RadioCards, SelectField } from "../../ui/choices.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { Dialog, DialogButton } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FormErrors, InputField, TextAreaField } from "../../ui/field.tsx";
import { PlusIcon } from "../../ui/icons.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Pager } from "../../ui/pager.tsx";
import { Price } from "../../ui/price.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Tooltip } from "../../ui/tooltip.tsx";
import { Progress, Skeleton } from "../../ui/waiting.tsx";
import type { Route } from "./+types/styleguide.ts";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, { title: "スタイルガイド（開発用）", is_unlisted: true });

/** The page exists only where developers look: in a `demo-*` project. The words are the server's to choose. */
export function loader({ context }: Route.LoaderArgs) {
  if (!context.get(edgeContext).is_demo) throw data(null, { status: 404 });
  return { variants: buttonVariant.options, sizes: buttonSize.options, shapes: buttonShape.options };
}

const plans = [
  { value: "ouen", label: "応援プラン", note: "制作日誌とラフ画が読めます。" },
  { value: "fukabori", label: "深掘りプラン", note: "メイキングと壁紙もついてきます。" },
];

export default function Styleguide({ loaderData }: Route.ComponentProps) {
  return (
    <div className="page">
      <h1 className="page-title">スタイルガイド</h1>
      <Buttons {...loaderData} />
      <Fields />
      <section className="card form">
        <h2 className="section-title">人と印</h2>
        <p className="row">
          <Avatar image={null} size={96} />
          <Avatar image={null} size={48} fallback="service" />
          <AvatarLink image={null} link_id="natsume" />
          <Avatar image={null} size={32} />
        </p>
        <p className="row">
          <Badge>フォロワー限定</Badge>
          <Badge tone="new">公開</Badge>
          <Badge tone="quiet">下書き</Badge>
          <UnreadDot />
          <Price amount={1100} />
          <DateTime iso="2026-11-20T10:05:00.000Z" />
        </p>
      </section>
      <section className="form">
        <h2 className="section-title">知らせと待ち時間</h2>
        <Banner>12/1 02:00から05:00まで、メンテナンスを行います。</Banner>
        <Banner tone="support">はじめてのofuseが届きました。</Banner>
        <Banner tone="alert">お支払いが確認できませんでした。</Banner>
        <EmptyState title="まだ投稿がありません">
          <p>最初の作品を公開してみましょう。</p>
        </EmptyState>
        <Skeleton />
        <Progress label="アップロード" value={62} max={100} />
      </section>
      <section className="form">
        <h2 className="section-title">行き先と開くもの</h2>
        <Tabs
          label="スタイルガイドの中"
          tabs={[
            { to: "/styleguide", label: "すべて" },
            { to: "/login", label: "ログイン" },
          ]}
        />
        <div className="row">
          <DialogButton dialog="guide-dialog" command="show-modal" className={buttonClass()}>
            ダイアログを開く
          </DialogButton>
          <Menu
            id="guide-menu"
            label="メニュー"
            button="メニュー"
            button_class={buttonClass({ variant: "gray-outline" })}
          >
            <a href="/styleguide">最初の項目</a>
            <a href="/styleguide">次の項目</a>
          </Menu>
          <Tooltip id="guide-tip" label="手数料について">
            手数料は決済手数料を含めて10%です。
          </Tooltip>
        </div>
        <Dialog id="guide-dialog" title="この投稿を削除しますか？" actions={<Button variant="alert">削除する</Button>}>
          <p>削除すると元に戻せません。</p>
        </Dialog>
        <Pager page={2} has_next hrefOf={(page) => `/styleguide?page=${page}`} />
      </section>
    </div>
  );
}

function Buttons({ variants, sizes, shapes }: Route.ComponentProps["loaderData"]) {
  return (
    <section className="form">
      <h2 className="section-title">ボタン</h2>
      {shapes.map((shape) => (
        <div key={shape} className="form">
          {variants.map((variant) => (
            <p key={variant} className="row">
              {sizes.map((size) =>
                variant === "anchor-disabled" ? (
                  <ButtonLink key={size} to="/" variant={variant} size={size} shape={shape} aria-label={variant}>
                    {size === "icon" ? <PlusIcon /> : variant}
                  </ButtonLink>
                ) : (
                  <Button key={size} type="button" variant={variant} size={size} shape={shape} aria-label={variant}>
                    {size === "icon" ? <PlusIcon /> : variant}
                  </Button>
                ),
              )}
            </p>
          ))}
        </div>
      ))}
    </section>
  );
}

function Fields() {
  const [form, fields] = useForm<Record<"name" | "email" | "message" | "genre" | "notify" | "plan", string>>({
    id: "guide",
    defaultValue: { name: "なつめ", message: "いつも応援しています。", plan: "ouen" },
    lastResult: {
      status: "error",
      initialValue: { name: "なつめ", email: "natsume@", message: "いつも応援しています。", plan: "ouen" },
      error: { "": ["入力内容をご確認ください。"], email: ["メールアドレスの形が正しくありません。"] },
    },
  });
  return (
    <form id={form.id} className="card form" noValidate>
      <h2 className="section-title">入力</h2>
      <FormErrors errors={form.errors} />
      <InputField field={fields.name} label="名前" type="text" hint="50文字まで。あとから変えられます。" />
      <InputField field={fields.email} label="メールアドレス" type="email" />
      <TextAreaField field={fields.message} label="メッセージ" max_graphemes={200} />
      <SelectField
        field={fields.genre}
        label="ジャンル"
        placeholder="選んでください"
        choices={[{ value: "illustration", label: "イラスト" }]}
      />
      <RadioCards field={fields.plan} label="プラン" choices={plans} />
      <CheckField field={fields.notify} label="新しい投稿をメールで受け取る" />
    </form>
  );
}
