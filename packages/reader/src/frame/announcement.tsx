import type { ComponentChildren } from 'preact';
import type { PageDrawing } from '../drawing.ts';
import { Anchor } from './anchor.tsx';

/** What the site tells all of its visitors. */
export function Announcement({ at }: { at: PageDrawing }): ComponentChildren {
  const { announcement } = at.view.site.look;
  if (announcement === undefined || !announcement.enabled) return null;
  const { link, message, localizedMessage, style } = announcement;
  const told = localizedMessage?.[at.locale] ?? message;
  return (
    <aside class={`announcement ${style}`} aria-label={told.slice(0, 30)}>
      <p>
        {told}{' '}
        {link !== undefined && (
          <Anchor at={at} to={at.view.resolve(link.to)?.to}>
            {link.localizedTitle?.[at.locale] ?? link.title}
          </Anchor>
        )}
      </p>
    </aside>
  );
}
