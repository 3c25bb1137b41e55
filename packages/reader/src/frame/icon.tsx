import type { ComponentChildren } from 'preact';
import { classesOf, emojiOf } from '../document.ts';
import { hrefOf, type PageDrawing } from '../drawing.ts';

const addressOf = ({ view }: PageDrawing, name: string): string | undefined =>
  hrefOf(view, view.assets.icon(name, view.site.look.styling.icons));

/** Whether the set has an icon of this name. */
export const isIcon = (at: PageDrawing, name: string): boolean => addressOf(at, name) !== undefined;

interface Props {
  at: PageDrawing;
  name: string | undefined;
  /** Its colour, where that is not the one of the text. */
  tone?: string | undefined;
}

/** An icon of the set by its name; nothing where there is none. It says nothing: a text beside it does. */
export function Icon({ at, name, tone }: Props): ComponentChildren {
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
