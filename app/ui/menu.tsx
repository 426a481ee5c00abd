import type { ReactNode } from "react";

/**
 * A button and what opens beneath it: the platform's popover, placed by its button. Esc and a click beside it close it, and
 * so does the link that was followed where the page stays.
 */
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
      {/* biome-ignore lint/a11y: what is clicked is a link inside, which a keyboard clicks as well. */}
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
