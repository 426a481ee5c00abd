import type { ReactNode } from "react";
import type { UnreadyFeature } from "../../site/features.ts";
import { Badge } from "../../ui/badge.tsx";

/** Says that a part of the product is not built yet, and what it will do. Shows no button without a function. */
export function Unready(props: {
  feature: UnreadyFeature;
  title: string;
  will: readonly string[];
  children?: ReactNode;
}) {
  const { title, will, children } = props;
  return (
    <section className="card prose">
      <h2 className="section-title">
        {title} <Badge>準備中</Badge>
      </h2>
      <p>この機能はまだお使いいただけません。用意ができると、ここで次のことができます。</p>
      <ul className="unready-list">
        {will.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
      {children}
    </section>
  );
}
