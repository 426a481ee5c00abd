import "react";

/**
 * Invoker commands: React passes these attributes on, but its types lack them. Source: HTML, section 4.10.6, `command`.
 */
declare module "react" {
  interface ButtonHTMLAttributes<T> {
    command?: "show-modal" | "close" | "request-close";
    commandfor?: string;
  }
}
