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
  /** For what search engines leave alone. */
  rel?: 'nofollow';
  /** Whether it leads to the page that is read. */
  isCurrent?: boolean | undefined;
  children: ComponentChildren;
}

/** A link; where it leads nowhere, its words. */
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

/** Whether the set has an icon of this name. */
export const isIcon = (at: PageDrawing, name: string): boolean => addressOf(at, name) !== undefined;

interface IconProps {
  at: PageDrawing;
  name: string | undefined;
  /** Its colour, where that is not the one of the text. */
  tone?: string | undefined;
}

/** An icon of the set by its name; nothing where there is none. It says nothing: a text beside it does. */
export function Icon({ at, name, tone }: IconProps): ComponentChildren {
  const href = name === undefined ? undefined : addressOf(at, name);
  if (href === undefined) return null;
  return (
    <svg {...classesOf('icon', tone && `ink-${tone}`)} aria-hidden="true" focusable="false">
      <use href={`${href}#icon`} />
    </svg>
  );
}

/** What stands before a title: its emoji, or its icon. */
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

/** Places that links find beside the id of what follows them. */
export const Anchors = ({ ids }: { ids: string[] }): ComponentChildren =>
  ids.map((id) => <span id={id} class="alias" />);

/** An image that has one look in the light and another in the dark: the styles show one of both. */
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

/** The elements whose behaviour is in `enhance/`: each holds what is there without it. */
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
