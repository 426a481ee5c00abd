import { identityProvider } from "../../../sign-in/identity-providers.ts";

const names: Record<string, string> = {
  password: "メールアドレスとパスワード",
  emailLink: "メールのリンク",
  phone: "電話番号",
  custom: "ほかのサービス",
};

/** Returns the name of a sign-in method by its provider id. Returns null for an unknown provider. */
export const wayName = (provider_id: string): string | null =>
  names[provider_id] ?? identityProvider(provider_id)?.name ?? null;
