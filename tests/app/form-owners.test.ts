import { createElement, type FunctionComponent } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { createRoutesStub, RouterContextProvider } from "react-router";
import { describe, expect, test } from "vitest";
import { refuseAuthor } from "../../app/forms/authorship.ts";
import { edgeContext, refusedContext, v4Context } from "../../app/request/context.ts";
import * as planPicture from "../../app/routes/my/plan-picture.tsx";
import * as radioPicture from "../../app/routes/my/radio-picture.tsx";
import * as radioRecording from "../../app/routes/my/radio-recording.tsx";
import * as password from "../../app/routes/my/settings/password.tsx";
import * as sessions from "../../app/routes/my/settings/sessions.tsx";
import * as uploadOne from "../../app/routes/my/upload-file.ts";
import * as uploadProfile from "../../app/routes/my/upload-profile.ts";
import * as uploads from "../../app/routes/my/uploads.ts";
import { identityContext, viewerContext } from "../../app/session/context.ts";
import { ButtonForm } from "../../app/ui/button-form.tsx";

/** Forms of a page that one account has opened, when another account has signed in meanwhile. */

const token = `e30.${btoa(JSON.stringify({ auth_time: Math.floor(Date.now() / 1000) }))}.`;

/** Returns a request's context in which the account `b` is signed in. */
function contextOf(registration: "complete" | "missing" | "unknown" = "complete") {
  const profile = registration === "complete" ? { user_id: "user_b" } : null;
  const context = new RouterContextProvider();
  context.set(viewerContext, { session: { id: "b", token }, registration, profile } as never);
  return context;
}

describe("a form with an account", () => {
  const refused = (fields: Record<string, string>, context = contextOf()) =>
    refuseAuthor(context, new Map(Object.entries(fields)))?.code ?? null;

  test.each(["complete", "missing", "unknown"] as const)(
    "is refused for another one, and accepted for its own, while the registration is %s",
    (registration) => {
      expect(refused({ owner: "a" }, contextOf(registration))).toBe("another_person");
      expect(refused({ owner: "b" }, contextOf(registration))).toBeNull();
      expect(refused({}, contextOf(registration))).toBeNull();
    },
  );

  test("is refused as a text when it has an author too, and says that the text stays", () => {
    const written = new Map([
      ["author", "user_a"],
      ["owner", "a"],
    ]);
    expect(refuseAuthor(contextOf(), written)?.detail).toContain("内容はこの画面に残っています");
    expect(refused({ author: "user_b", owner: "a" })).toBe("another_person");
  });

  test("is not refused for a visitor, who has to sign in first", () => {
    const context = new RouterContextProvider();
    context.set(viewerContext, null);
    expect(refused({ owner: "a" }, context)).toBeNull();
  });
});

describe("a refused form writes nothing to the identity service:", () => {
  /** Sends a form that the account `a` has opened. Returns what the identity service was asked. */
  async function send(
    { action }: { action: (args: never) => Promise<unknown> },
    fields: Record<string, string>,
    owner = "a",
  ) {
    const context = contextOf();
    const asked: string[] = [];
    const toolkit = {
      lookUp: async () => ({ emailVerified: true }),
      setPassword: async () => {
        asked.push("setPassword");
        throw new Error("the test ends here");
      },
    };
    const ask = async (request: Request) => {
      asked.push(new URL(request.url).pathname);
      return Response.json({ title: "x", status: 404, code: "not_found", detail: "" }, { status: 404 });
    };
    context.set(identityContext, { toolkit, fetch: ask } as never);
    context.set(edgeContext, { request_id: "r", transport: { limit: () => AbortSignal.timeout(5000) } } as never);
    context.set(refusedContext, refuseAuthor(context, new Map([["owner", owner]])));
    const url = new URL("https://ofuse.example/my/settings");
    const request = new Request(url, { method: "POST", body: new URLSearchParams({ ...fields, owner }) });
    const answer = (await action({ request, url, params: {}, context } as never).catch((error) => error)) as {
      init?: { status: number };
    };
    return { status: answer.init?.status, asked };
  }

  const new_password = { password: "correct horse battery", password_again: "correct horse battery" };

  test("a new password", async () => {
    expect(await send(password, new_password)).toEqual({ status: 403, asked: [] });
    expect((await send(password, new_password, "b")).asked).toEqual(["setPassword"]);
  });

  test.each<Record<string, string>>([{ operation: "end", id: "device" }, { operation: "end_all" }])(
    "the end of sign-ins, %j",
    async (fields) => {
      expect(await send(sessions, fields)).toEqual({ status: 403, asked: [] });
      expect((await send(sessions, fields, "b")).asked).toHaveLength(1);
    },
  );
});

describe("a form with files uploads none of them for another account:", () => {
  /** Sends a picture from a page that the account `a` has opened, or `owner`. Returns what the API was given. */
  async function send(
    { action }: { action: (args: never) => Promise<unknown> },
    { field, fields }: { field: string; fields: Record<string, string> },
  ) {
    const context = contextOf();
    const uploaded: string[] = [];
    const upload = async ({ id }: { id: string }, { body }: { body: AsyncIterable<Uint8Array> }) => {
      for await (const _piece of body);
      uploaded.push(id);
      return { ok: true, answer: { image: { image_id: "i" } } };
    };
    const failure = ({ status }: { status: number }) => ({ init: { status } });
    const send = async () => ({ ok: false, refusal: { code: "not_found", status: 404, detail: "" } });
    context.set(edgeContext, { request_id: "r" } as never);
    context.set(v4Context, { upload, failure, send } as never);
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set(field, new File(["bytes"], "a.png", { type: "image/png" }));
    const url = new URL("https://ofuse.example/my");
    const request = new Request(url, { method: "POST", body: form });
    const answer = (await action({ request, url, params: {}, context } as never).catch((error) => error)) as {
      status?: number;
      init?: { status: number };
    };
    return { status: answer.status ?? answer.init?.status, uploaded };
  }

  const refused = { status: 403, uploaded: [] };

  test.each([
    ["one of a script", uploadOne, "file", "owner"],
    ["a post's", uploads, "file", "author"],
    ["a profile's", uploadProfile, "icon_file", "author"],
    ["a plan's picture", planPicture, "picture", "owner"],
    ["a radio's picture", radioPicture, "picture", "owner"],
    ["a radio's recording", radioRecording, "file", "owner"],
  ])("%s", async (_what, route, field, by) => {
    const fieldsOf = (account: string) => ({ [by]: by === "author" ? `user_${account}` : account });
    expect(await send(route, { field, fields: fieldsOf("a") })).toEqual(refused);
    expect((await send(route, { field, fields: fieldsOf("b") })).uploaded).toHaveLength(1);
  });
});

const Page = () =>
  createElement(
    ButtonForm as FunctionComponent<object>,
    { fields: { id: "x", page: null }, children: () => null } as object,
  );

describe("the hidden fields of a form", () => {
  const render = (viewer: object | null) => {
    const Stub = createRoutesStub([{ id: "root", path: "/", loader: () => ({}), Component: Page }]);
    return renderToStaticMarkup(createElement(Stub, { hydrationData: { loaderData: { root: { viewer } } } }));
  };
  const id = '<input type="hidden" name="id" value="x"/>';

  test("name the account of a member's page, and nobody on a visitor's", () => {
    expect(render({ account_id: "a" })).toContain(`<input type="hidden" name="owner" value="a"/>${id}`);
    expect(render(null)).toContain(id);
    expect(render(null)).not.toContain('name="owner"');
  });
});
