import type { PageLayout } from '@octavo/schema';
import type { ComponentChildren } from 'preact';
import type { RenderContext } from '../context.ts';
import { formatDate, toHref } from '../context.ts';
import { Anchor, Anchors, TitleIcon } from '../elements.tsx';
import { Breadcrumbs, PreviousAndNext } from './navigation.tsx';

/** The cover, title and description of a page, according to its layout. */
export function PageHeader({ context }: { context: RenderContext }): ComponentChildren {
  const { page } = context.view;
  const { layout, title, description } = page;
  const hasTitle = layout.title;
  return (
    <>
      <Cover context={context} sizes={['hero']} />
      <div class="head">
        <div class="above">
          <Breadcrumbs context={context} />
          <PageActions context={context} />
        </div>
        <h1 class={hasTitle ? undefined : 'hidden'}>
          <Anchors ids={context.document.titleIds} />
          {hasTitle && <TitleIcon context={context} item={page} />}
          {title}
        </h1>
        {layout.description && description !== undefined && <p class="lead">{description}</p>}
      </div>
    </>
  );
}

/** The footer of a page's content. */
export function PageFooter({ context }: { context: RenderContext }): ComponentChildren {
  const { page, site } = context.view;
  return (
    <>
      {page.layout.pagination && site.customization.pagination.enabled && <PreviousAndNext context={context} />}
      {page.layout.metadata && page.updatedAt !== undefined && (
        <p class="about">
          {context.texts.updated} <time dateTime={page.updatedAt}>{formatDate(page.updatedAt, context.locale)}</time>
        </p>
      )}
      {site.isRatable && <Feedback context={context} />}
    </>
  );
}

/**
 * A form that rates the page. Without scripts, the response redirects to the thank-you message of the page, which then
 * replaces the form. With scripts, the page is not reloaded.
 */
function Feedback({ context }: { context: RenderContext }): ComponentChildren {
  const { texts, view } = context;
  const ratings = [
    ['good', texts.feedbackGood],
    ['ok', texts.feedbackOk],
    ['bad', texts.feedbackBad],
  ] as const;
  return (
    <page-feedback class="feedback">
      <form method="post" action={toHref(view, `${view.base}~/feedback`)} aria-labelledby="~feedback">
        <input type="hidden" name="page" value={view.page.id} />
        <p id="~feedback">{texts.feedback}</p>
        {ratings.map(([rating, words]) => (
          <button type="submit" name="rating" value={rating}>
            {words}
          </button>
        ))}
      </form>
      <p id="~rated" class="thanks" role="status" tabIndex={-1}>
        {texts.feedbackThanks}
      </p>
    </page-feedback>
  );
}

/** AI assistants to which the page actions link with a question about the page. */
const assistants: [name: string, address: string][] = [
  ['ChatGPT', 'https://chatgpt.com/?q='],
  ['Claude', 'https://claude.ai/new?q='],
];

/** Returns the path of a page's Markdown version. */
export const getMarkdownPath = ({ view: { address, base } }: RenderContext): string =>
  `${address === base ? `${base}index` : address}.md`;

function MarkdownLinks({ context }: { context: RenderContext }): ComponentChildren {
  const href = toHref(context.view, getMarkdownPath(context));
  return (
    <>
      <li>
        <copy-text data-from={href} data-copy={context.texts.copyPage} data-copied={context.texts.copied} />
      </li>
      <li>
        <Anchor context={context} to={getMarkdownPath(context)}>
          {context.texts.viewMarkdown}
        </Anchor>
      </li>
    </>
  );
}

/**
 * Links to AI assistants. They are not shown on pages with restricted access, whose URLs must not be sent to an
 * assistant.
 */
function AssistantLinks({ context }: { context: RenderContext }): ComponentChildren {
  const { site } = context.view;
  if (!site.isIndexed) return null;
  const question = `Read ${site.url}${getMarkdownPath(context)} and answer questions about it.`;
  return assistants.map(([name, address]) => (
    <li>
      <Anchor context={context} to={`${address}${encodeURIComponent(question)}`}>
        {context.texts.openIn.replace('{name}', name)}
      </Anchor>
    </li>
  ));
}

const McpLink = ({ context }: { context: RenderContext }): ComponentChildren => (
  <li>
    <copy-text
      data-text={`${context.view.site.url}~/mcp`}
      data-copy={context.texts.copyMcp}
      data-copied={context.texts.copied}
    />
  </li>
);

/** Links to PDFs of this page and of the whole space. */
function PdfLinks({ context }: { context: RenderContext }): ComponentChildren {
  const { base, page } = context.view;
  const links = [
    [context.texts.pdfPage, `${base}~/pdf?page=${encodeURIComponent(page.id)}`],
    [context.texts.pdfAll, `${base}~/pdf`],
  ] as const;
  return links.map(([words, to]) => (
    <li>
      <Anchor context={context} to={to} rel="nofollow">
        {words}
      </Anchor>
    </li>
  ));
}

/** Returns the URL at which the source of the page is edited, if it is known. */
function getEditUrl({ site, page }: RenderContext['view']): string | undefined {
  const { showEditLink, editURL } = site.customization.git;
  if (!showEditLink || page.source === undefined) return undefined;
  const { path, editUrl } = page.source;
  return (editURL ?? editUrl)?.replace('{path}', () => path.split('/').map(encodeURIComponent).join('/'));
}

const EditLink = ({ context }: { context: RenderContext }): ComponentChildren => (
  <li>
    <Anchor context={context} to={getEditUrl(context.view)}>
      {context.texts.editPage}
    </Anchor>
  </li>
);

type Action = (props: { context: RenderContext }) => ComponentChildren;

const agentActions: Record<string, Action> = {
  markdown: MarkdownLinks,
  'external-ai': AssistantLinks,
  mcp: McpLink,
};

/** Actions for agents are available only if agents may read the site. */
function getActions(view: RenderContext['view']): Action[] {
  const { isForAgents, customization } = view.site;
  const items = isForAgents ? customization.pageActions.items : [];
  return [
    ...items.flatMap((item) => (Object.hasOwn(agentActions, item) ? (agentActions[item] ?? []) : [])),
    ...(getEditUrl(view) === undefined ? [] : [EditLink]),
    ...(customization.pdf.enabled ? [PdfLinks] : []),
  ];
}

/** The page's actions that the customization enables. */
function PageActions({ context }: { context: RenderContext }): ComponentChildren {
  const { page } = context.view;
  const visibleActions = getActions(context.view);
  if (page.id === '' || !page.layout.actions || visibleActions.length === 0) return null;
  return (
    <details class="drop actions">
      <summary>{context.texts.actions}</summary>
      <ul>
        {visibleActions.map((Shown) => (
          <Shown context={context} />
        ))}
      </ul>
    </details>
  );
}

/** Offset in pixels at which a cover shows its edge instead of its middle. */
const maxOffset = 320;

const middlePercent = 50;

/** Returns the CSS position of a cover from its offset. The cover always fills its area. */
function toCssPosition(pixels: number): string {
  const percent = Math.min(100, Math.max(0, middlePercent - (pixels / maxOffset) * middlePercent));
  return `object-position:50% ${Math.round(percent * 10) / 10}%`;
}

/** The cover of a page, if its layout has one of these sizes, with light and dark variants. */
export function Cover({
  context,
  sizes,
}: {
  context: RenderContext;
  sizes: PageLayout['coverSize'][];
}): ComponentChildren {
  const { cover, layout } = context.view.page;
  if (cover === undefined || !layout.cover || !sizes.includes(layout.coverSize)) return null;
  const getUrl = (reference: unknown) => toHref(context.view, context.view.resolve(reference)?.to);
  const light = getUrl(cover.ref);
  if (light === undefined) return null;
  const dark = getUrl(cover.refDark);
  const positionClass = cover.yPos === 0 ? [] : [context.sheet.addClass(toCssPosition(cover.yPos))];
  const mask = layout.coverMask === 'none' ? [] : [`mask-${layout.coverMask}`];
  const renderCover = (href: string, ...classNames: string[]) => (
    <img class={['cover', layout.coverSize, ...mask, ...positionClass, ...classNames].join(' ')} src={href} alt="" />
  );
  return dark === undefined || dark === light
    ? renderCover(light)
    : [renderCover(light, 'in-light'), renderCover(dark, 'in-dark')];
}
