import type { ReactNode } from "react";

/** A button with a popover menu below it. Esc, a click outside and a client-side navigation close it. */
export function Menu(props: {
  id: string;
  label: string;
  button: ReactNode;
  button_class: string;
  children: ReactNode;
}) {
  const { id, label, button, button_class, children } = props;
  return (
    <>
      <button type="button" className={button_class} popoverTarget={id} aria-label={label}>
        {button}
      </button>
      {/* biome-ignore lint/a11y: the click comes from a link inside, which works by keyboard too. */}
      <div
        id={id}
        popover="auto"
        className="menu"
        onClick={({ target, currentTarget }) => {
          if ((target as Element).closest("a")) currentTarget.hidePopover();
        }}
      >
        {children}
      </div>
    </>
  );
}
