import type { ComponentChildren, VNode } from 'preact';
import { hrefOf, type PageDrawing, targetOf } from '../drawing.ts';
import type { ShownAddress } from '../references.ts';

interface Props {
  at: PageDrawing;
  to: ShownAddress | undefined;
  class?: string;
  /** For what search engines leave alone. */
  rel?: 'nofollow';
  /** Whether it leads to the page that is read. */
  isCurrent?: boolean | undefined;
  children: ComponentChildren;
}

/** A link; where it leads nowhere, its words. */
export function Anchor({ at, to, isCurrent, children, ...more }: Props): VNode {
  const href = hrefOf(at.view, to);
  if (href === undefined) return <span {...more}>{children}</span>;
  return (
    <a href={href} {...targetOf(at.view, href)} {...more} {...(isCurrent ? { 'aria-current': 'page' } : {})}>
      {children}
    </a>
  );
}
