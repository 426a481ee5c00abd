import type Stripe from "stripe";

/** Errors in Stripe's shape. Source: https://docs.stripe.com/api/errors */

export type ErrorType = "api_error" | "card_error" | "idempotency_error" | "invalid_request_error";

/** The fields of an error that a caller reads besides its type and message. */
export interface ErrorDetails {
  code?: string;
  param?: string;
  decline_code?: string;
  charge?: string;
  payment_intent?: Stripe.PaymentIntent;
  setup_intent?: Stripe.SetupIntent;
  payment_method?: Stripe.PaymentMethod;
}

/** An error that the caller reads as `{error: {type, message, code, param, ...}}`. */
export class GatewayError extends Error {
  override name = "GatewayError";
  readonly status: number;
  readonly type: ErrorType;
  readonly details: ErrorDetails;

  constructor(status: number, type: ErrorType, message: string, details: ErrorDetails = {}) {
    super(message);
    this.status = status;
    this.type = type;
    this.details = details;
  }
}

/** Returns the error of a request with a wrong parameter or of an act that the object's state does not allow. */
export function invalidRequest(message: string, details: ErrorDetails = {}): GatewayError {
  return new GatewayError(400, "invalid_request_error", message, details);
}

/** Returns the error of an id that names no object. In a parameter it is a 400, in the path a 404, as at Stripe. */
export function missingResource(kind: string, id: string, param: string): GatewayError {
  const status = param === "id" ? 404 : 400;
  return new GatewayError(status, "invalid_request_error", `No such ${kind}: '${id}'`, {
    code: "resource_missing",
    param,
  });
}

/** Returns the body of an error's answer. */
export function errorBody({ type, message, details }: GatewayError): { error: object } {
  const doc_url = details.code && `https://docs.stripe.com/error-codes/${details.code.replaceAll("_", "-")}`;
  return { error: { type, message, ...details, ...(doc_url && { doc_url }) } };
}
