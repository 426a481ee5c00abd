import { describe, expect, test } from "vitest";
import * as z from "zod";
import { readForm, typedFields } from "../../app/forms/read-form.ts";
import { yenOf } from "../../app/forms/typed-digits.ts";
import { typedNumber, typedYen } from "../../app/forms/typed-number.ts";
import { validatePost } from "../../app/post/validate-post.ts";
import { validateNewsletter } from "../../app/routes/my/newsletter-values.ts";
import { profileSchema } from "../../app/routes/my/settings/profile-schema.server.ts";
import * as forms from "../../app/routes/operation-forms.server.ts";
import { errorCatalogue } from "../../workers/contract/errors.ts";
import { createEvent } from "../../workers/contract/events.ts";
import { productOperations } from "../../workers/contract/index.ts";
import { paidLetter, sendFreeOfuse } from "../../workers/contract/ofuses.ts";
import { readSources } from "../architecture/imports.ts";

/** For each field that no form has: the reason. */
type NotAsked = Record<string, string>;

/**
 * The operations whose body people fill in: the forms with its fields, and the fields that no form has. A new field of
 * a body fails the test below until a form has it or a reason is written here.
 */
const filledIn: Record<string, { asked: readonly z.ZodObject[]; not_asked?: NotAsked }> = {
  sendFreeOfuse: {
    asked: [forms.letterForm],
    not_asked: { receiver_user_id: "the action sets the creator of the page" },
  },
  sendOfuse: {
    asked: [forms.paidLetterForm],
    not_asked: {
      receiver_user_id: "the action sets the creator of the page",
      amount: "the action takes it from price or own_amount",
    },
  },
  updateOfuse: {
    asked: [forms.letterReplyForm],
    not_asked: { is_opened: "the page sets it when it is read", is_hidden: "a button sets it" },
  },
  createEventComment: { asked: [forms.commentForm, forms.receivedCommentForm] },
  createPaidEventComment: {
    asked: [forms.paidCommentForm],
    not_asked: { amount: "the action takes it from price or own_amount" },
  },
  createEventCategory: { asked: [forms.categoryForm] },
  updateEventCategory: { asked: [forms.categoryForm], not_asked: { position: "buttons move a category" } },
  createMembership: { asked: [forms.planForm], not_asked: { active_state: "the form's buttons choose it" } },
  updateMembership: {
    asked: [forms.planForm, forms.openedPlanForm],
    not_asked: {
      active_state: "the form's buttons choose it",
      position: "buttons of the list move a plan",
      image_id: "the page of the plan's picture takes the file",
    },
  },
  reportEvent: { asked: [forms.reportForm] },
  reportEventComment: { asked: [forms.reportForm] },
  reportOfuse: { asked: [forms.reportForm] },
  reportRadioComment: { asked: [forms.reportForm] },
  appealRemoval: { asked: [forms.appealForm] },
  createRadio: { asked: [forms.radioForm], not_asked: { image_id: "the page of the radio's picture takes the file" } },
  updateRadio: {
    asked: [forms.editedRadioForm],
    not_asked: { image_id: "the page of the radio's picture takes the file", rotates_url_key: "a button sets it" },
  },
  createRadioComment: { asked: [forms.radioCommentForm] },
  createChatMessage: { asked: [forms.chatMessageForm] },
  createRadioCaption: { asked: [forms.captionForm] },
  updateChatRoom: { asked: [forms.chatRoomForm] },
  updateReactions: { asked: [forms.reactionsForm] },
  updateStreaming: { asked: [forms.overlayForm] },
  sendTestOfuse: {
    asked: [],
    not_asked: {
      amount: "my/streaming.tsx reads it from the pressed button",
      message: "always the example",
      stamp_id: "always the same",
    },
  },
  updateBank: {
    asked: [forms.bankAccountForm],
    not_asked: { bank_code: "chosen in the address", branch_code: "chosen in the address" },
  },
  linkCreatorAccount: { asked: [], not_asked: { account_type: "signup/monetize.tsx reads its radio buttons" } },
  createPayout: {
    asked: [],
    not_asked: {
      amount: "my/earnings/payout.tsx reads it from the address of its page",
      seen_bank_updated_at: "my/earnings/payout.tsx sends that of the account it shows",
    },
  },
  createProfile: { asked: [forms.registrationForm] },
  updateProfile: {
    asked: [forms.registrationForm, forms.linkIdForm, profileSchema([])],
    not_asked: {
      accepts_free_ofuses: "settings/profile.tsx reads the checkbox",
      icon_image_id: "settings/profile.tsx sends it when the picture was changed",
      cover_image_id: "settings/profile.tsx sends it when the picture was changed",
      email_confirmed: "the action sets it after the mailed address is confirmed",
    },
  },
  updateExternalLinks: {
    asked: [],
    not_asked: {
      external_links: "settings/profile.tsx reads its rows of fields, share/links.tsx one of them",
      seen_external_links: "settings/profile.tsx reads it from a hidden field, share/links.tsx reads the links itself",
    },
  },
  updateNotificationSettings: {
    asked: [],
    not_asked: {
      page: "settings/notifications.tsx reads its checkboxes",
      mail: "settings/notifications.tsx reads its checkboxes",
      push: "settings/notifications.tsx reads its checkboxes",
      mail_language: "settings/notifications.tsx reads its list",
    },
  },
  updateMailSettings: {
    asked: [],
    not_asked: { token: "in the address of the page", mail: "unsubscribe.tsx reads its checkboxes" },
  },
  startImport: {
    asked: [],
    not_asked: {
      restores_status: "settings/import-report.tsx reads the checkbox",
      overwrites_profile: "settings/import-report.tsx reads the checkbox",
    },
  },
  updateGenres: { asked: [], not_asked: { genre_ids: "settings/profile.tsx reads its checkboxes" } },
};

/** Operations whose body the app fills in by itself or from a button alone. */
const notFilledIn = [
  "claimOfuse",
  "claimGuestLikes",
  "createBlock",
  "createIntent",
  "createSubscription",
  "follow",
  "likeEvent",
  "likeEventComment",
  "likeRadioComment",
  "likeRadioRecording",
  "likeOfuse",
  "listenToRadio",
  "movePushSubscription",
  "putPushSubscription",
  "putRadioRecording",
  "reactInChat",
  "redeemIntent",
  "remindOfRadio",
  "startImport",
  "updatePaymentMethod",
  "updateSpending",
  "updateCreatorAccount",
  "updateRelationship",
  "updateSubscription",
  "updateNewsletterStops",
];
/** Their form is app/post. In app/post/validate-post.ts the type checker requires every field of the body. */
const writtenAsPost = ["createEvent", "updateEvent", "updateEvents", "saveDraft"];
/** Their form is app/routes/my/newsletter-form.tsx. The type checker requires every field in newsletter-values.ts. */
const writtenAsNewsletter = ["createNewsletter", "updateNewsletter"];

const operationOf = (id: string) => {
  const operation = productOperations.find((operation) => operation.id === id);
  if (!operation?.body) throw new Error(`${id} is no operation with a body`);
  return { ...operation, body: operation.body };
};

function namesOf(body: z.ZodType): string[] {
  const { shape, options } = body as Partial<z.ZodObject> & { options?: readonly z.ZodType[] };
  return options ? options.flatMap(namesOf) : Object.keys(shape ?? {});
}

/** Returns the fields of a body that no form has and that are not listed. */
function findForgottenFields(body: z.ZodType, asked: readonly z.ZodObject[], not_asked: NotAsked): string[] {
  const known = new Set([...asked.flatMap((form) => Object.keys(form.shape)), ...Object.keys(not_asked)]);
  return namesOf(body).filter((name) => !known.has(name));
}

describe("a form whose fields become the body of an operation", () => {
  test("is listed above, for every operation that the app sends with a body", () => {
    const source = [...readSources(["app"]).values()].join("\n");
    const sent = [...source.matchAll(/\.send\(\s*(\w+), \{(?:[^{}]|\{[^{}]*\})*?\bbody\b/g)].map(([, id = ""]) => id);
    const product = new Set(productOperations.map(({ id }) => id as string));
    const listed = [...Object.keys(filledIn), ...notFilledIn, ...writtenAsPost, ...writtenAsNewsletter];
    expect([...new Set(sent)].filter((id) => product.has(id) && !listed.includes(id))).toEqual([]);
    expect(sent.length).toBeGreaterThan(20);
  });

  test.each(Object.entries(filledIn))("%s: has every field of the body", (id, { asked, not_asked = {} }) => {
    const { body } = operationOf(id);
    expect(
      findForgottenFields(body, asked, not_asked),
      "ask for the field in app/routes/operation-forms.server.ts and on its page, or say above why no form asks for it",
    ).toEqual([]);
    const stale = Object.keys(not_asked).filter((name) => !namesOf(body).includes(name));
    expect(stale, "the body has no such field").toEqual([]);
  });

  test("is reported when it lacks a new field of the body", () => {
    const { receiver_user_id, message, is_public } = sendFreeOfuse.body.shape;
    const letter = z.object({ receiver_user_id, message, is_public, colour: z.string() });
    expect(findForgottenFields(letter, [z.object({ message: z.string() })], { receiver_user_id: "set" })).toEqual([
      "is_public",
      "colour",
    ]);
  });

  test("sends a new field of the body without another change", () => {
    const letter = sendFreeOfuse.body.extend({ colour: z.enum(["red", "blue"]) });
    const form = new FormData();
    for (const [name, typed] of [
      ["message", "手紙"],
      ["colour", "red"],
    ] as const) {
      form.set(name, typed);
    }
    expect(readForm(form, letter.omit({ receiver_user_id: true })).value).toMatchObject({ colour: "red" });
    expect(typedFields(form, letter)).toEqual({ message: "手紙", colour: "red" });
  });
});

test.each([
  ["letter", forms.paidLetterForm],
  ["comment", forms.paidCommentForm],
])("an amount typed beside a chosen price of a paid %s is refused at its field, and kept", (_, schema) => {
  const read = (own_amount: string) => {
    const form = new FormData();
    for (const [name, typed] of Object.entries({ price: "550", own_amount, message: "すてき" })) form.set(name, typed);
    return readForm(form, schema).toResult();
  };
  expect(read("5000")).toMatchObject({
    initialValue: { price: "550", own_amount: "5000" },
    error: { own_amount: [expect.stringContaining("「金額を自分で決める」を選んでください。")] },
  });
  expect(read(" ").error?.own_amount).toBeUndefined();
});

describe("an amount that a person types", () => {
  const amounts: [string, z.ZodObject, Record<string, string>, string][] = [
    ["own_amount", forms.paidCommentForm, { price: "own", message: "すてき" }, "金額は、100円から11,000円までの"],
    ["own_amount", forms.paidLetterForm, { price: "own", message: "すてき" }, "金額は、100円から11,000円までの"],
    ["amount", forms.planForm, { title: "席" }, "月額は100円から10,000円までの"],
    ["members_limit", forms.planForm, { title: "席", amount: "500" }, "定員は1人から10,000人までの"],
  ];
  test.each(amounts)(
    "as %s is refused with one sentence of the field unless it is one",
    (name, schema, rest, sentence) => {
      const errorsFor = (typed: string) => {
        const form = new FormData();
        for (const [field, value] of Object.entries({ ...rest, [name]: typed })) form.set(field, value);
        return readForm(form, schema).toResult().error?.[name] ?? null;
      };
      for (const typed of [" 9558 ", "９５５８", "9,558", "９，５５８"]) expect(errorsFor(typed), typed).toBeNull();
      expect(errorsFor("９，５５８円") === null, "円").toBe(name !== "members_limit");
      for (const typed of ["0", "11001", "9007199254740992"]) {
        expect(errorsFor(typed), typed).toEqual([`${sentence}整数で入力してください。`]);
      }
      const [label] = sentence.split("は");
      const refused = [
        "-1",
        "－１００",
        "+500",
        "1.5",
        "１．５",
        "1e3",
        "1,00",
        "1000,000",
        ",500",
        "500,",
        "1²",
        "①②③",
      ];
      for (const typed of [...refused, "$500", "￥500", "500€", "五百円", "5円00", "500円円", "円", "1 500"]) {
        expect(errorsFor(typed), typed).toEqual([`${label}は、数字だけで入力してください。`]);
      }
    },
  );
});

test("a text without line breaks takes those that were typed or copied from a slide", () => {
  expect(forms.chatMessageForm.parse({ message: " 一\r\n二 \u000b\n三\u0085四\u2028" })).toEqual({
    message: "一 二 三 四",
  });
  expect(forms.operatorNote.parse("一\u000b二\n\n三")).toBe("一 二 三");
  expect(forms.chatRoomForm.shape.ng_words.parse("一\u000b二\r\n\n三")).toEqual(["一", "二", "三"]);
});

test("an amount is read alike by the server and by a page that counts while it is typed", () => {
  const read = (typed: string) => typedYen("金額").safeParse(typed).data ?? Number.NaN;
  for (const typed of ["１，５００円", " 1,500 ", "1500円", "１500", "015００"]) {
    expect([read(typed), yenOf(typed)], typed).toEqual([1500, 1500]);
  }
  for (const typed of ["", "1.5", "1,50", "own"]) expect([read(typed), yenOf(typed)], typed).toEqual([NaN, NaN]);
  expect(typedNumber("定員").safeParse("１，０００").data).toBe(1000);
});

describe("a refused form", () => {
  const asked = new Map(
    Object.entries({ ...forms, profile: profileSchema([]) }).filter(([, each]) => each instanceof z.ZodObject),
  );
  const errorsOf = (schema: z.ZodObject, typed: string) => {
    const form = new FormData();
    for (const name of Object.keys(schema.shape)) form.set(name, typed);
    return readForm(form, schema).toResult().error ?? {};
  };
  const long = "あ".repeat(60_000);

  test.each([...asked])("%s: has one Japanese sentence for each field, whatever was sent", (_, schema) => {
    for (const typed of ["", "nonsense", "-1", "\u202e公式", long]) {
      for (const [name, sentences] of Object.entries(errorsOf(schema as z.ZodObject, typed))) {
        expect(sentences, name).toEqual([expect.stringMatching(/^[^a-z]*[ぁ-ん].*。$/)]);
      }
    }
  });

  test("of a post or a newsletter has one Japanese sentence for each field", () => {
    const typed = { event_category_id: "x", comment_filter: "x", visibility: "x", when: "x", body: long, title: long };
    const picture = "01kaf2m8q3v7x1n5r9t4w6y8ze";
    const pictures = { images: picture, [`alt.${picture}`]: long };
    const settings = { audience: "nonsense", publish_at: "x", seen_updated_at: "" };
    const newsletter = { title: long, body: long, ...pictures, ...settings };
    const refused = [validatePost(typed), validateNewsletter(newsletter, "scheduled")];
    for (const { errors } of refused) {
      expect(Object.keys(errors ?? {}).length).toBeGreaterThan(3);
      for (const [name, sentences] of Object.entries(errors ?? {})) {
        expect(sentences, name).toEqual([expect.stringMatching(/^[^a-z]*[ぁ-ん].*。$/)]);
      }
    }
    expect(refused[0]?.errors?.body).toEqual(["本文は50,000文字以内で入力してください（現在60,000文字）。"]);
  });

  test("says of a video's address without https:// that it cannot be used, as the API does", () => {
    const { detail } = errorCatalogue.video_url_not_allowed;
    const typed = { kind: "video", title: "題", visibility: "public", when: "now" };
    for (const video_url of ["www.youtube.com/watch?v=dQw4w9WgXcQ", `https://youtu.be/${"x".repeat(2000)}`]) {
      expect(validatePost({ ...typed, video_url }).errors).toEqual({ video_url: [detail] });
      const sent = createEvent.body.safeParse({ kind: "video", title: "題", status: "private", video_url });
      const said = sent.error?.issues.filter(({ path }) => path[0] === "video_url").map(({ message }) => message);
      expect(said).toEqual([detail]);
    }
  });

  test("takes the name that a guest without a name has for no name", () => {
    for (const name of ["ゲスト", "げすと", "【ｹﾞｽﾄ】"]) expect(paidLetter.shape.sender_name.parse(name), name).toBe("");
    expect(paidLetter.shape.sender_name.parse("ゲスト出演のはな")).toBe("ゲスト出演のはな");
    expect(paidLetter.shape.sender_name.safeParse("匿名").success).toBe(false);
  });

  test("calls a guest's name as its label does", () => {
    const { sender_name } = errorsOf(forms.paidLetterForm, "公式サポート");
    expect(sender_name?.[0]).toMatch(/お名前に入れられません。$/);
    for (const name of ["な\u202eつめ", "な\ue63eつめ"]) {
      expect(errorsOf(forms.paidLetterForm, name).sender_name?.[0]).toMatch(/^お名前に、見えない文字/);
    }
  });
});
