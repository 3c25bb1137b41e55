import type { ComponentChildren } from 'preact';
import type { PageDrawing } from '../drawing.ts';
import { Anchors } from './anchors.tsx';
import { Cover } from './cover.tsx';
import { Sign } from './icon.tsx';
import { PageActions } from './page-actions.tsx';
import { Breadcrumbs } from './places.tsx';

/** The cover of a page, its title and what it says of itself, as its layout shows them. */
export function PageHeader({ at }: { at: PageDrawing }): ComponentChildren {
  const { page } = at.view;
  const { layout, title, description } = page;
  const hasTitle = layout.title;
  return (
    <>
      <Cover at={at} sizes={['hero']} />
      <div class="head">
        <div class="above">
          <Breadcrumbs at={at} />
          <PageActions at={at} />
        </div>
        <h1 class={hasTitle ? undefined : 'hidden'}>
          <Anchors ids={at.headings.title} />
          {hasTitle && <Sign at={at} of={page} />}
          {title}
        </h1>
        {layout.description && description !== undefined && <p class="lead">{description}</p>}
      </div>
    </>
  );
}
