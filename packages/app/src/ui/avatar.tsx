import { toEmoji } from '@octavo/reader/drawing';
import type { VNode } from 'preact';

/** Number of background colors in the styles. */
const colorCount = 8;

const getColor = (text: string): number =>
  [...text].reduce((sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) % 9973, 7) % colorCount;

const getInitials = (name: string): string =>
  name
    .split(/[\s@._-]+/)
    .filter((part) => part !== '')
    .slice(0, 2)
    .map((part) => [...part][0] ?? '')
    .join('')
    .toUpperCase();

interface AvatarProps {
  name: string;
  photo?: string | undefined;
  /** Organizations and spaces have square avatars. */
  isSquare?: boolean;
  emoji?: string | undefined;
}

/** The photo, emoji or initials of a person, an organization or a space. Its name is shown beside it. */
export function Avatar({ name, photo, isSquare = false, emoji = '' }: AvatarProps): VNode {
  const shape = isSquare ? 'avatar square' : 'avatar';
  if (photo !== undefined) return <img class={shape} src={photo} alt="" referrerpolicy="no-referrer" />;
  if (emoji !== '')
    return (
      <span class={`${shape} with-emoji`} aria-hidden="true">
        {toEmoji(emoji)}
      </span>
    );
  return (
    <span class={`${shape} color-${getColor(name)}`} aria-hidden="true">
      {getInitials(name) || '?'}
    </span>
  );
}
