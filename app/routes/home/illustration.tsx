/** A letter sliding into its envelope. Drawn in the page's theme colours, so that it fits the dark theme too. */
export function LetterArriving() {
  return (
    <svg className="hero-art" viewBox="0 0 440 340" width="440" height="340" aria-hidden="true">
      <circle cx="230" cy="172" r="152" className="art-sky" />
      <path d="M6 262c58 46 122 18 106-34S22 168 52 112s98-62 132-34" className="art-trail" />
      <path d="M112 168 220 84q14-10 28 0l108 84v20H112z" className="art-back" />
      <g className="art-letter">
        <rect x="142" y="52" width="184" height="176" rx="12" className="art-paper" />
        <path d="M166 84h84M166 110h136M166 136h136M166 162h72" className="art-ink" />
        <path d="M286 84c-9-13-26 2-13 14l13 11 13-11c13-12-4-27-13-14z" className="art-heart" />
      </g>
      <path d="M112 168l122 86 122-86v110a18 18 0 0 1-18 18H130a18 18 0 0 1-18-18z" className="art-front" />
      <path d="M118 290l84-68M350 290l-84-68" className="art-fold" />
      <path d="M64 46v16M56 54h16M392 84v20M382 94h20M404 226v12M398 232h12" className="art-spark" />
    </svg>
  );
}
