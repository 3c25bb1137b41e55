import type { ComponentChildren } from 'preact';
import { dayOf } from '../dates.ts';
import type { PageDrawing } from '../drawing.ts';
import { Neighbours } from './places.tsx';

/** What stands below the text of a page. */
export function PageFooter({ at }: { at: PageDrawing }): ComponentChildren {
  const { page, site } = at.view;
  return (
    <>
      {page.layout.pagination && site.look.pagination.enabled && <Neighbours at={at} />}
      {page.layout.metadata && page.updatedAt !== undefined && (
        <p class="about">
          {at.texts.updated} <time dateTime={page.updatedAt}>{dayOf(page.updatedAt, at.locale)}</time>
        </p>
      )}
    </>
  );
}
