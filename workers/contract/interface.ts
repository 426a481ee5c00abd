import * as z from "zod";

/** Enumerations that only the screens use; no call carries them. Source: spec section 3, enumerations. */

export const theme = z.enum(["light", "dark", "system"]);
export const toastVariant = z.enum(["info", "alert"]);
/** The audience of the registration-complete modal. */
export const registeredUserType = z.enum(["fan", "creator"]);

/** A button that names no variant, size or shape is primary, default and a pill. */
export const buttonVariant = z.enum([
  "black",
  "primary",
  "primary-outline",
  "secondary",
  "gray",
  "gray-outline",
  "alert",
  "alert-outline",
  "anchor-disabled",
  "dark-outline",
]);
export type ButtonVariant = z.output<typeof buttonVariant>;
export const buttonSize = z.enum(["default", "sm", "lg", "icon"]);
export type ButtonSize = z.output<typeof buttonSize>;
export const buttonShape = z.enum(["pill", "rectangle"]);
export type ButtonShape = z.output<typeof buttonShape>;
