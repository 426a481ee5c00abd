import { Link } from "react-router";

/** The logo and the name, as a link to the home page. */
export function Brand() {
  return (
    <Link to="/" className="header-brand" aria-label="ofuse トップ">
      <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
        <rect x="2" y="6" width="28" height="20" rx="5" className="brand-ground" />
        <path d="M5 10.5 16 18l11-7.5" className="brand-line" />
        <circle cx="25" cy="8" r="4.5" className="brand-seal" />
      </svg>
      <span>ofuse</span>
    </Link>
  );
}
