import "react";

/** Invoker commands, which React passes on and its types do not know yet. Source: HTML, section 4.10.6, `command`. */
declare module "react" {
  interface ButtonHTMLAttributes<T> {
    command?: "show-modal" | "close" | "request-close";
    commandfor?: string;
  }
}
