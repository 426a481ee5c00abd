/**
 * An icon of 24 × 24 in the colour of the text. Hidden from screen readers, because the text beside it says what it
 * means.
 */
export function Drawing({ d }: { d: string }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={d} />
    </svg>
  );
}

export const CloseIcon = () => <Drawing d="m6 6 12 12M18 6 6 18" />;
export const ImageIcon = () => (
  <Drawing d="M6 4h12a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V6c0-1.1.9-2 2-2Zm-2 12 5-5 4 4 2-2 5 5M15 9h.01" />
);
export const VideoIcon = () => (
  <Drawing d="M5 5h14a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V7c0-1.1.9-2 2-2Zm5 4 5 3-5 3z" />
);
export const HeartIcon = () => (
  <Drawing d="M12 20S4 15 4 9.500A4.2 4.2 0 0 1 12 7a4.2 4.2 0 0 1 8 2.500C20 15 12 20 12 20Z" />
);
export const MoreIcon = () => <Drawing d="M5 12h1m5.500 0h1m5.500 0h1" />;
export const LockIcon = () => (
  <Drawing d="M7 11h10a2 2 0 0 1 2 2v5a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2v-5c0-1.1.9-2 2-2Zm1 0V8a4 4 0 0 1 8 0v3" />
);
export const CommentIcon = () => (
  <Drawing d="M6 5h12a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2h-5l-5 4v-4H6a2 2 0 0 1-2-2V7c0-1.1.9-2 2-2Z" />
);
