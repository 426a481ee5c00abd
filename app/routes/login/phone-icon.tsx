import { Drawing } from "../../ui/icons.tsx";

export const PhoneIcon = () => (
  <Drawing d="M8.5 3h7a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2h-7a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2Zm2.5 15h2" />
);
