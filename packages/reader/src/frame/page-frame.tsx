import type { PageLayout } from '@octavo/schema';
import type { ComponentChildren } from 'preact';
import type { PageDrawing } from '../drawing.ts';
import { dayOf, hrefOf } from '../drawing.ts';
import { Anchor, Anchors, Sign } from '../elements.tsx';
import { Breadcrumbs, Neighbours } from './navigation.tsx';

/** The cover, title and description of a page, according to its layout. */
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

/** The footer of a page's content. */
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

/** AI assistants that can be asked about a page. */
const assistants: [name: string, address: string][] = [
  ['ChatGPT', 'https://chatgpt.com/?q='],
  ['Claude', 'https://claude.ai/new?q='],
];

/** Returns the path of a page's Markdown version. */
export const markdownPlaceOf = ({ view: { at, base } }: PageDrawing): string =>
  `${at === base ? `${base}index` : at}.md`;

function Markdown({ at }: { at: PageDrawing }): ComponentChildren {
  const href = hrefOf(at.view, markdownPlaceOf(at));
  return (
    <>
      <li>
        <copy-text data-from={href} data-copy={at.texts.copyPage} data-copied={at.texts.copied} />
      </li>
      <li>
        <Anchor at={at} to={markdownPlaceOf(at)}>
          {at.texts.viewMarkdown}
        </Anchor>
      </li>
    </>
  );
}

/** Not shown on pages with restricted access, whose URLs must not be sent to an assistant. */
function Assistants({ at }: { at: PageDrawing }): ComponentChildren {
  const { site } = at.view;
  if (!site.isIndexed) return null;
  const question = `Read ${site.url}${markdownPlaceOf(at)} and answer questions about it.`;
  return assistants.map(([name, address]) => (
    <li>
      <Anchor at={at} to={`${address}${encodeURIComponent(question)}`}>
        {at.texts.openIn.replace('{name}', name)}
      </Anchor>
    </li>
  ));
}

const Mcp = ({ at }: { at: PageDrawing }): ComponentChildren => (
  <li>
    <copy-text data-text={`${at.view.site.url}~/mcp`} data-copy={at.texts.copyMcp} data-copied={at.texts.copied} />
  </li>
);

/** Links to PDFs of this page and of the whole space. */
function Pdfs({ at }: { at: PageDrawing }): ComponentChildren {
  const { base, page } = at.view;
  const links = [
    [at.texts.pdfPage, `${base}~/pdf?page=${encodeURIComponent(page.id)}`],
    [at.texts.pdfAll, `${base}~/pdf`],
  ] as const;
  return links.map(([words, to]) => (
    <li>
      <Anchor at={at} to={to} rel="nofollow">
        {words}
      </Anchor>
    </li>
  ));
}

type Action = (props: { at: PageDrawing }) => ComponentChildren;

/** Actions for agents are available only if agents may read the site. */
const actions: Record<string, Action> = {
  markdown: Markdown,
  'external-ai': Assistants,
  mcp: Mcp,
};

function actionsOf({ site }: PageDrawing['view']): Action[] {
  const shown = site.isForAgents ? site.look.pageActions.items : [];
  const listed = shown.flatMap((item) => (Object.hasOwn(actions, item) ? (actions[item] ?? []) : []));
  return site.look.pdf.enabled ? [...listed, Pdfs] : listed;
}

/** The page's actions that the customization enables. */
function PageActions({ at }: { at: PageDrawing }): ComponentChildren {
  const { page } = at.view;
  const shown = actionsOf(at.view);
  if (page.id === '' || !page.layout.actions || shown.length === 0) return null;
  return (
    <details class="drop actions">
      <summary>{at.texts.actions}</summary>
      <ul>
        {shown.map((Shown) => (
          <Shown at={at} />
        ))}
      </ul>
    </details>
  );
}

/** Offset in pixels at which a cover shows its edge instead of its middle. */
const reach = 320;

const middle = 50;

/** Returns the CSS position of a cover from its offset. The cover always fills its area. */
function positionOf(pixels: number): string {
  const percent = Math.min(100, Math.max(0, middle - (pixels / reach) * middle));
  return `object-position:50% ${Math.round(percent * 10) / 10}%`;
}

/** The cover of a page, if its layout has one of these sizes, with light and dark variants. */
export function Cover({ at, sizes }: { at: PageDrawing; sizes: PageLayout['coverSize'][] }): ComponentChildren {
  const { cover, layout } = at.view.page;
  if (cover === undefined || !layout.cover || !sizes.includes(layout.coverSize)) return null;
  const addressOf = (reference: unknown) => hrefOf(at.view, at.view.resolve(reference)?.to);
  const light = addressOf(cover.ref);
  if (light === undefined) return null;
  const dark = addressOf(cover.refDark);
  const own = cover.yPos === 0 ? [] : [at.sheet.classOf(positionOf(cover.yPos))];
  const mask = layout.coverMask === 'none' ? [] : [`mask-${layout.coverMask}`];
  const image = (href: string, ...shown: string[]) => (
    <img class={['cover', layout.coverSize, ...mask, ...own, ...shown].join(' ')} src={href} alt="" />
  );
  return dark === undefined || dark === light ? image(light) : [image(light, 'in-light'), image(dark, 'in-dark')];
}
