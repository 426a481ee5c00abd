import { Link, useLocation } from "react-router";
import type { User } from "../../../workers/contract/users.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { ButtonForm } from "../../ui/button-form.tsx";
import { Dialog, DialogButton } from "../../ui/dialog.tsx";
import { MoreIcon } from "../../ui/icons.tsx";
import { Menu } from "../../ui/menu.tsx";

const DIALOG = "block-dialog";

/** The menu with which a member blocks another user. */
export function BlockMenu({ creator }: { creator: Pick<User, "name" | "link_id"> }) {
  const { name, link_id } = creator;
  return (
    <>
      <Menu
        id="creator-menu"
        label={`${name}さんについての操作`}
        button={<MoreIcon />}
        button_class={buttonClass({ variant: "gray-outline", size: "icon" })}
      >
        <DialogButton dialog={DIALOG} command="show-modal">
          ブロックする
        </DialogButton>
        <Link to="/my/settings/blocks">ブロックした相手を見る</Link>
      </Menu>
      <Dialog
        id={DIALOG}
        title={`${name}さんをブロックしますか？`}
        actions={<BlockForm link_id={link_id} name={name} operation="block" />}
      >
        <ul className="unready-list">
          <li>おたがいにフォロー、コメント、「いいね」、ofuseの送信ができなくなります。</li>
          <li>おたがいのフォローは外れます。加入中のメンバーシップは、期間の終わりまで続きます。</li>
          <li>ブロックしたことは、相手には知らされません。いつでも解除できます。</li>
          <li>解除しても、止まったメンバーシップの更新は戻りません。</li>
        </ul>
      </Dialog>
    </>
  );
}

/** Replaces the follow button if the viewer has blocked the user. */
export function BlockedNotice({ creator }: { creator: User }) {
  return (
    <div className="row">
      <p className="field-hint">
        <bdi>{creator.name}</bdi>さんをブロックしています。
      </p>
      <BlockForm link_id={creator.link_id} name={creator.name} operation="unblock" />
    </div>
  );
}

/** @param to the page to redirect to afterwards; defaults to the current page. */
export function BlockForm(props: { link_id: string; name: string; operation: "block" | "unblock"; to?: string }) {
  const { link_id, name, operation, to } = props;
  const { pathname, search } = useLocation();
  return (
    <ButtonForm action={`/${link_id}/block`} fields={{ to: to ?? pathname + search }} label={`${name}さん`}>
      {(is_sending) => (
        <Button
          name="operation"
          value={operation}
          variant={operation === "block" ? "alert" : "gray-outline"}
          size={operation === "block" ? "default" : "sm"}
          aria-disabled={is_sending}
        >
          {operation === "block" ? "ブロックする" : "ブロックを解除"}
        </Button>
      )}
    </ButtonForm>
  );
}
