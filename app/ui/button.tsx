import type { ButtonHTMLAttributes, ReactNode } from "react";
import { Link, type LinkProps } from "react-router";
import type { ButtonShape, ButtonSize, ButtonVariant } from "../../workers/contract/interface.ts";

interface Look {
  variant?: ButtonVariant;
  size?: ButtonSize;
  shape?: ButtonShape;
  /** True makes the button as wide as its container. */
  is_block?: boolean;
}

/**
 * The classes of a button, for other elements that should look like one. Source: spec section 3, button variants and
 * their defaults.
 */
export function buttonClass({ variant = "primary", size = "default", shape = "pill", is_block = false }: Look = {}) {
  const classes = ["button", `button-${variant}`, `button-${size}`, `button-${shape}`];
  return [...classes.filter((name) => !plain.has(name)), ...(is_block ? ["button-block"] : [])].join(" ");
}

/** The default classes. `class` leaves them out, because `.button` alone has the same look. */
const plain = new Set(["button-primary", "button-default", "button-pill"]);

/** A button; submits its form unless `type` says otherwise. A button with only an icon needs an `aria-label`. */
export function Button(props: Look & ButtonHTMLAttributes<HTMLButtonElement>) {
  const { variant, size, shape, is_block, ...attributes } = props;
  return <button type="submit" className={buttonClass({ variant, size, shape, is_block })} {...attributes} />;
}

/** A link that looks like a button. With `anchor-disabled` it has no href and is announced as disabled. */
export function ButtonLink(props: Look & Omit<LinkProps, "className"> & { children: ReactNode }) {
  const { variant, size, shape, is_block, ...link } = props;
  const className = buttonClass({ variant, size, shape, is_block });
  if (variant === "anchor-disabled") {
    return (
      // biome-ignore lint/a11y/useValidAnchor: HTML defines a link without href as the placeholder for a disabled link.
      <a className={className} role="link" aria-disabled="true" aria-label={props["aria-label"]}>
        {props.children}
      </a>
    );
  }
  return <Link {...link} className={className} />;
}
