import type { WebOrigin } from '@octavo/schema';
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { FrameSource, RenderContext, RenderedDocument } from './context.ts';
import { toHref } from './context.ts';
import type { ShownDocument } from './document.ts';
import { Anchor } from './elements.tsx';
import { Head } from './frame/head.tsx';
import { Announcement, Footer, Header, Menu } from './frame/header-and-footer.tsx';
import { Outline, Sections } from './frame/navigation.tsx';
import { Cover, PageFooter, PageHeader } from './frame/page-frame.tsx';
import { PreviewBanner } from './frame/preview-banner.tsx';
import { createRenderContext } from './render-context.tsx';
import { getInterfaceTexts } from './texts/index.ts';
import { getFonts } from './theme/fonts.ts';
import { getThemeClasses, themeScript } from './theme/styles.ts';
import { getTokens } from './theme/tokens.ts';
import type { PageAddress, PageView, TitledLink } from './view.ts';

/** The layout around the content of every page of a site. */
function Frame({ context, children }: { context: RenderContext; children: ComponentChildren }): ComponentChildren {
  const { layout } = context.view.page;
  const classes = [
    ...[layout.width, layout.tableOfContents ? 'with-pages' : 'without-pages'],
    ...getThemeClasses(context.view.site.customization),
    ...(context.document.hasReference ? ['with-reference'] : []),
  ];
  return (
    <body class={classes.join(' ')}>
      <a class="skip" href="#~content">
        {context.texts.skip}
      </a>
      <PreviewBanner context={context} />
      <Announcement context={context} />
      <Header context={context} />
      <Sections context={context} />
      <Cover context={context} sizes={['full', 'background']} />
      <div class="middle">
        <Menu context={context} />
        <main id="~content" tabIndex={-1}>
          {children}
        </main>
        <Outline context={context} />
      </div>
      <Footer context={context} />
    </body>
  );
}

/** A page as HTML, with the inline style and script whose hashes its policy must contain. */
export interface RenderedPage {
  html: string;
  /** Content of `<style>`. */
  style: string;
  /** Content of `<script>`. */
  script: string;
  /** Origins of fonts that it loads from other hosts. */
  fonts: WebOrigin[];
  /** Sources that it may show in frames. */
  frames: FrameSource[];
}

/** Renders the layout of a page around its content. `title` is that of the browser's tab. */
function renderFrame(context: RenderContext, inside: ComponentChildren, title = context.view.page.title): RenderedPage {
  const { site } = context.view;
  const body = renderToString(<Frame context={context}>{inside}</Frame>);
  const fonts = getFonts(site.customization.styling, site.language);
  const style = `${fonts.css}${getTokens(site.customization)}${context.sheet.toCss()}`;
  const head = renderToString(<Head context={context} title={title} style={style} fonts={fonts} />);
  const theme =
    site.customization.themes.default === 'system' ? '' : ` data-theme="${site.customization.themes.default}"`;
  const html = `<!doctype html>\n<html lang="${site.language}" dir="${site.direction}"${theme}>${head}${body}</html>\n`;
  return { html, style, script: themeScript, fonts: fonts.origins, frames: [...context.frames] };
}

const noDocument: ShownDocument = { object: 'document', data: {}, nodes: [] };

/** Renders a page around its rendered document. */
export function renderPage(view: PageView, document: RenderedDocument): RenderedPage {
  const context = createRenderContext({ ...view, page: { ...view.page, document: noDocument } }, document);
  // This HTML was rendered by components.
  return renderFrame(
    context,
    <>
      <PageHeader context={context} />
      <article dangerouslySetInnerHTML={{ __html: document.html }} />
      <PageFooter context={context} />
    </>,
  );
}

interface ShownSearch {
  typed: string;
  /** The query that was searched. It differs from the typed query if that had a spelling mistake. */
  query: string;
  pages: PageHit[];
}

/** Renders the search page with its results. */
export function renderSearch(view: PageView, { typed, query, pages }: ShownSearch): RenderedPage {
  const context = createRenderContext(view);
  const { results, noResults } = context.texts;
  const status = query === '' ? undefined : (pages.length === 0 ? noResults : results).replace('{query}', () => query);
  return renderFrame(
    context,
    <>
      <PageHeader context={context} />
      <article>
        <form action={toHref(view, '~/search')} method="get" class="search-page">
          <label class="hidden" for="~words">
            {context.texts.search}
          </label>
          <input id="~words" type="search" name="q" value={typed} maxLength={256} />
          <button type="submit" class="button-primary">
            {context.texts.search}
          </button>
        </form>
        {status !== undefined && <p role="status">{status}</p>}
        <SearchResults context={context} pages={pages} />
      </article>
    </>,
    status,
  );
}

/** Renders the page for HTTP 404, with suggestions and a link to the home page. */
export function renderNotFound(view: PageView, near: TitledLink[]): RenderedPage {
  const context = createRenderContext({
    ...view,
    page: { ...view.page, title: getInterfaceTexts(view.site.customization.internationalization.locale).missing },
  });
  return renderFrame(
    context,
    <>
      <PageHeader context={context} />
      <article>
        {near.length > 0 && (
          <>
            <p>{context.texts.missingText}</p>
            <ul>
              {near.map(({ title, to }) => (
                <li>
                  <Anchor context={context} to={to}>
                    {title}
                  </Anchor>
                </li>
              ))}
            </ul>
          </>
        )}
        <p>
          <Anchor context={context} to="">
            {context.texts.home}
          </Anchor>
        </p>
      </article>
    </>,
  );
}

/** Renders a page with one message and a link to the home page. */
export function renderNotice(view: PageView, text: string): RenderedPage {
  const context = createRenderContext(view);
  return renderFrame(
    context,
    <>
      <PageHeader context={context} />
      <article>
        {text !== '' && <p role="status">{text}</p>}
        <p>
          <Anchor context={context} to="">
            {context.texts.home}
          </Anchor>
        </p>
      </article>
    </>,
  );
}

/** The index of a range's first character, and the index after its last character. */
type TextRange = [start: number, end: number];

/** A section of a page that matches the search. */
interface SectionHit {
  title: string;
  text: string;
  /** The ranges of the words in the title and in the text. */
  matches: { title: TextRange[]; text: TextRange[] };
  to: PageAddress;
}

/** A page that matches the search. */
export interface PageHit {
  title: string;
  /** The ranges of the words in the title. */
  matches: { title: TextRange[] };
  /** Title of the page's space. */
  space: string;
  to: PageAddress;
  sections: SectionHit[];
}

/** Text with ranges of it highlighted. */
function Highlighted({ text, ranges }: { text: string; ranges: TextRange[] }): ComponentChildren {
  let position = 0;
  const parts = ranges.map(([start, end]) => {
    const before = text.slice(position, start);
    position = end;
    return [before, <mark>{text.slice(start, end)}</mark>];
  });
  return [...parts, text.slice(position)];
}

/** The list of search results. */
const SearchResults = ({ context, pages }: { context: RenderContext; pages: PageHit[] }): ComponentChildren => (
  <ol class="found">
    {pages.map(({ title, matches, space, to, sections }) => (
      <li>
        <h2>
          <Anchor context={context} to={to}>
            <Highlighted text={title} ranges={matches.title} />
          </Anchor>
        </h2>
        <p class="where">{space}</p>
        {sections.map((section) => (
          <p>
            <Anchor context={context} to={section.to}>
              {section.title === '' ? title : <Highlighted text={section.title} ranges={section.matches.title} />}
            </Anchor>{' '}
            <Highlighted text={section.text} ranges={section.matches.text} />
          </p>
        ))}
      </li>
    ))}
  </ol>
);
