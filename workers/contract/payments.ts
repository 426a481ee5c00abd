import * as z from "zod";
import { id } from "./fields.ts";
import { planOperation } from "./operation.ts";

/** A fan's ways to pay. */

export const getPaymentMethods = planOperation({
  id: "getPaymentMethods",
  method: "GET",
  path: "/v4/payment_methods",
  auth: "required",
  summary: "支払い方法",
});

export const createPaymentMethod = planOperation({
  id: "createPaymentMethod",
  method: "POST",
  path: "/v4/payment_methods",
  auth: "required",
  summary: "支払い方法を登録する",
});

export const updatePaymentMethod = planOperation({
  id: "updatePaymentMethod",
  method: "PUT",
  path: "/v4/payment_methods",
  auth: "required",
  summary: "支払い方法を変更する",
});

export const createCustomerPortal = planOperation({
  id: "createCustomerPortal",
  method: "POST",
  path: "/v4/customer_portal",
  auth: "required",
  summary: "決済サービスの管理画面を開く",
});

export const getCheckoutSession = planOperation({
  id: "getCheckoutSession",
  method: "GET",
  path: "/v4/checkout_sessions/{session_id}",
  auth: "none",
  summary: "決済の状態",
  params: z.object({ session_id: id }),
});
