/* Icons that the shell shows, and few pages. Together with those of ui/icons.tsx every page would load them. */
import { Drawing } from "../ui/icons.tsx";

export const MenuIcon = () => <Drawing d="M4 7h16M4 12h16M4 17h16" />;
export const SearchIcon = () => <Drawing d="M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm9 2-4-4" />;
export const PlusIcon = () => <Drawing d="M12 5v14M5 12h14" />;
export const HomeIcon = () => <Drawing d="m4 11 8-7 8 7v8a1 1 0 0 1-1 1h-4v-6H9v6H5a1 1 0 0 1-1-1z" />;
export const BellIcon = () => <Drawing d="M6 17v-6a6 6 0 0 1 12 0v6l1.5 1.500h-15zM10 21h4" />;
export const NewsletterIcon = () => <Drawing d="m3 11 17-7-5 17-4-7zM11 14l4-4" />;
export const PlanIcon = () => <Drawing d="m12 4 2.5 5 5.5.8-4 3.9.9 5.5-4.9-2.6-4.9 2.6.9-5.5-4-3.9 5.5-.800z" />;
export const TicketIcon = () => <Drawing d="M4 7h16v3a2 2 0 0 0 0 4v3H4v-3a2 2 0 0 0 0-4zM14 7v2m0 3v1m0 3v1" />;
export const YenIcon = () => <Drawing d="m7 4 5 7 5-7M12 11v9M8 13h8m-8 3h8" />;
export const ToolsIcon = () => <Drawing d="M4 5h16v11H4zM9 20h6M12 16v4" />;
export const SettingsIcon = () => (
  <Drawing d="M4 7h10m4 0h2M4 17h2m4 0h10M16 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM8 19a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z" />
);
export const PeopleIcon = () => (
  <Drawing d="M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM3 20c0-3.5 2.5-6 6-6s6 2.5 6 6M16 5a3 3 0 0 1 0 6m2 4c2 .7 3 2.6 3 5" />
);
export const HelpIcon = () => (
  <Drawing d="M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM9.5 9.500a2.5 2.5 0 1 1 3.5 2.300c-.7.3-1 .9-1 1.700M12 17h.01" />
);
export const LetterIcon = () => (
  <Drawing d="M6 5h12a3 3 0 0 1 3 3v8a3 3 0 0 1-3 3H6a3 3 0 0 1-3-3V8a3 3 0 0 1 3-3ZM4 8l8 5.500L20 8" />
);
export const PostIcon = () => (
  <Drawing d="M7 3h7l5 5v11a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2Zm7 0v5h5M9 13h6M9 17h4" />
);
export const RadioIcon = () => (
  <Drawing d="M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3Zm-6 8a6 6 0 0 0 12 0M12 17v4m-3 0h6" />
);
