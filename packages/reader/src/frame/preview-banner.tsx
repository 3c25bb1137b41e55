import type { ComponentChildren } from 'preact';
import type { RenderContext } from '../context.ts';
import { Anchor } from '../elements.tsx';
import type { SitePreview } from '../view.ts';

function ChangedPages({ context, preview }: { context: RenderContext; preview: SitePreview }): ComponentChildren {
  const { texts } = context;
  const { pages, isComplete } = preview;
  if (pages.length === 0) return null;
  const count = isComplete ? `${pages.length}` : `${pages.length}+`;
  return (
    <details class="drop">
      <summary>{texts.changedPages.replace('{count}', count)}</summary>
      <ul>
        {pages.map(({ title, to, kinds }) => {
          const label = (
            <>
              <span>{title}</span>
              <small>{kinds.map((kind) => texts[kind]).join(', ')}</small>
            </>
          );
          return (
            <li>
              {to === undefined ? (
                <p>{label}</p>
              ) : (
                <Anchor context={context} to={to}>
                  {label}
                </Anchor>
              )}
            </li>
          );
        })}
      </ul>
    </details>
  );
}

/** The banner of a preview: its change request, the changed pages, and a link to the published page. */
export function PreviewBanner({ context }: { context: RenderContext }): ComponentChildren {
  const { preview } = context.view;
  const { texts } = context;
  if (preview === undefined) return null;
  const { changeRequest, exit } = preview;
  const title =
    changeRequest === undefined ? texts.preview : texts.previewOf.replace('{number}', () => `#${changeRequest.number}`);
  return (
    <aside class="preview" aria-label={title}>
      <p>
        <strong>{title}</strong>
        {changeRequest !== undefined && changeRequest.subject !== '' && <> {changeRequest.subject}</>}
      </p>
      <ChangedPages context={context} preview={preview} />
      <Anchor context={context} to={exit}>
        {texts.exitPreview}
      </Anchor>
    </aside>
  );
}
