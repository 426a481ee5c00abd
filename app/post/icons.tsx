/* The icons of a post's own page, of its pictures and of their viewer. */
import { Drawing } from "../ui/icons.tsx";

export const ShareIcon = () => <Drawing d="M12 15V3m-4 4 4-4 4 4M6 11H5v9h14v-9h-1" />;
export const PreviousIcon = () => <Drawing d="m15 5-7 7 7 7" />;
export const NextIcon = () => <Drawing d="m9 5 7 7-7 7" />;
export const ZoomIcon = () => <Drawing d="M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm9 2-4-4M8 11h6m-3-3v6" />;
export const EditIcon = () => <Drawing d="m5 19 1-5L16 4l4 4-10 10zM14 6l4 4" />;
