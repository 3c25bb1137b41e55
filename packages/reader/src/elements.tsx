import type { ComponentChildren, VNode } from 'preact';
import { classesOf, emojiOf } from './document.ts';
import type { PageDrawing } from './drawing.ts';
import { hrefOf, targetOf } from './drawing.ts';
import type { ShownAddress } from './view.ts';
import { safeAddress } from './view.ts';

interface AnchorProps {
  at: PageDrawing;
  to: ShownAddress | undefined;
  class?: string;
  /** Tells search engines not to follow the link. */
  rel?: 'nofollow';
  /** Whether it links to the current page. */
  isCurrent?: boolean | undefined;
  children: ComponentChildren;
}

/** A link, or only its text if the link is broken. */
export function Anchor({ at, to, isCurrent, children, ...more }: AnchorProps): VNode {
  const href = hrefOf(at.view, to);
  if (href === undefined) return <span {...more}>{children}</span>;
  return (
    <a href={href} {...targetOf(at.view, href)} {...more} {...(isCurrent ? { 'aria-current': 'page' } : {})}>
      {children}
    </a>
  );
}

const addressOf = ({ view }: PageDrawing, name: string): string | undefined =>
  hrefOf(view, view.assets.icon(name, view.site.look.styling.icons));

/** Whether the icon set has this name. */
export const isIcon = (at: PageDrawing, name: string): boolean => addressOf(at, name) !== undefined;

interface IconProps {
  at: PageDrawing;
  name: string | undefined;
  /** Its color, if it differs from the text's. */
  tone?: string | undefined;
}

/** A decorative icon, hidden from screen readers. Draws nothing if the name is unknown. */
export function Icon({ at, name, tone }: IconProps): ComponentChildren {
  const href = name === undefined ? undefined : addressOf(at, name);
  if (href === undefined) return null;
  return (
    <svg {...classesOf('icon', tone && `ink-${tone}`)} aria-hidden="true" focusable="false">
      <use href={`${href}#icon`} />
    </svg>
  );
}

/** The emoji or icon before a title. */
export const Sign = ({
  at,
  of,
}: {
  at: PageDrawing;
  of: { icon?: string | undefined; emoji?: string | undefined };
}): ComponentChildren =>
  of.emoji === undefined ? (
    <Icon at={at} name={of.icon} />
  ) : (
    <span class="emoji" aria-hidden="true">
      {emojiOf(of.emoji)}
    </span>
  );

/** Additional anchors for the element that follows. */
export const Anchors = ({ ids }: { ids: string[] }): ComponentChildren =>
  ids.map((id) => <span id={id} class="alias" />);

/** An image with a light and a dark variant. The styles show one of them. */
export function Pair({
  of: { light, dark },
  alt,
}: {
  of: { light: string; dark: string };
  alt: string;
}): ComponentChildren {
  const [day, night] = [safeAddress(light), safeAddress(dark)];
  if (day === night || night === undefined) return day === undefined ? alt : <img src={day} alt={alt} />;
  return (
    <>
      <img class="in-light" src={day} alt={alt} />
      <img class="in-dark" src={night} alt={alt} />
    </>
  );
}

interface CustomElement {
  class?: string;
  children?: ComponentChildren;
  [data: `data-${string}`]: string | undefined;
}

/** Custom elements whose behavior is in `enhance/`. Each contains the content that is shown without scripts. */
declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      'theme-switch': CustomElement;
      'site-search': CustomElement;
      'page-outline': CustomElement;
      'code-block': CustomElement;
      'copy-text': CustomElement;
      'tab-set': CustomElement;
      'embed-frame': CustomElement;
      'zoom-image': CustomElement;
      'test-request': CustomElement;
      'mermaid-diagram': CustomElement;
    }
  }
}
