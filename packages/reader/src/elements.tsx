import type { ComponentChildren, VNode } from 'preact';
import type { RenderContext } from './context.ts';
import { getLinkTarget, toHref } from './context.ts';
import { toClass, toEmoji } from './document.ts';
import type { PageAddress } from './view.ts';
import { toSafeAddress } from './view.ts';

interface AnchorProps {
  context: RenderContext;
  to: PageAddress | undefined;
  class?: string;
  /** `nofollow` asks search engines not to follow the link. */
  rel?: 'nofollow';
  /** Whether it links to the current page. */
  isCurrent?: boolean | undefined;
  children: ComponentChildren;
}

/** A link, or only its text if the link is broken. */
export function Anchor({ context, to, isCurrent, children, ...attributes }: AnchorProps): VNode {
  const href = toHref(context.view, to);
  if (href === undefined) return <span {...attributes}>{children}</span>;
  return (
    <a
      href={href}
      {...getLinkTarget(context.view, href)}
      {...attributes}
      {...(isCurrent ? { 'aria-current': 'page' } : {})}
    >
      {children}
    </a>
  );
}

const getIconUrl = ({ view }: RenderContext, name: string): string | undefined =>
  toHref(view, view.assets.icon(name, view.site.customization.styling.icons));

/** Whether the icon set has this name. */
export const isIcon = (context: RenderContext, name: string): boolean => getIconUrl(context, name) !== undefined;

interface IconProps {
  context: RenderContext;
  name: string | undefined;
  /** The icon's color, if it differs from the color of the text. */
  tone?: string | undefined;
}

/** A decorative icon, hidden from screen readers. Draws nothing if the name is unknown. */
export function Icon({ context, name, tone }: IconProps): ComponentChildren {
  const href = name === undefined ? undefined : getIconUrl(context, name);
  if (href === undefined) return null;
  return (
    <svg {...toClass('icon', tone && `ink-${tone}`)} aria-hidden="true" focusable="false">
      <use href={`${href}#icon`} />
    </svg>
  );
}

/** The emoji or icon before a title. */
export const TitleIcon = ({
  context,
  item,
}: {
  context: RenderContext;
  item: { icon?: string | undefined; emoji?: string | undefined };
}): ComponentChildren =>
  item.emoji === undefined ? (
    <Icon context={context} name={item.icon} />
  ) : (
    <span class="emoji" aria-hidden="true">
      {toEmoji(item.emoji)}
    </span>
  );

/** Additional anchors for the element that follows. */
export const Anchors = ({ ids }: { ids: string[] }): ComponentChildren =>
  ids.map((id) => <span id={id} class="alias" />);

/** An image with a light and a dark variant. The styles show one of them. */
export function ThemedImage({
  image: { light, dark },
  alt,
}: {
  image: { light: string; dark: string };
  alt: string;
}): ComponentChildren {
  const [day, night] = [toSafeAddress(light), toSafeAddress(dark)];
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
      'page-feedback': CustomElement;
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
