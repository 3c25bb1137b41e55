import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { ShownNode } from './document.ts';
import { drawingOf } from './draw.tsx';
import type { PageDrawing } from './drawing.ts';
import { hrefOf } from './drawing.ts';
import { Anchor } from './elements.tsx';
import { Head } from './frame/head.tsx';
import { Announcement, Footer, Header, Menu } from './frame/header-and-footer.tsx';
import { Outline, Sections } from './frame/navigation.tsx';
import { Cover, PageFooter, PageHeader } from './frame/page-frame.tsx';
import { textsOf } from './texts/index.ts';
import { fontsOf } from './theme/fonts.ts';
import { lookClassesOf, themeScript } from './theme/styles.ts';
import { tokensOf } from './theme/tokens.ts';
import type { PageView, ShownAddress } from './view.ts';

/** The layout around the content of every page of a site. */
function Frame({ at, children }: { at: PageDrawing; children: ComponentChildren }): ComponentChildren {
  const { layout } = at.view.page;
  const classes = [
    ...[layout.width, layout.tableOfContents ? 'with-pages' : 'without-pages'],
    ...lookClassesOf(at.view.site.look),
    ...(at.references.blocks.size > 0 ? ['with-reference'] : []),
  ];
  return (
    <body class={classes.join(' ')}>
      <a class="skip" href="#~content">
        {at.texts.skip}
      </a>
      <Announcement at={at} />
      <Header at={at} />
      <Sections at={at} />
      <Cover at={at} sizes={['full', 'background']} />
      <div class="middle">
        <Menu at={at} />
        <main id="~content" tabIndex={-1}>
          {children}
        </main>
        <Outline at={at} />
      </div>
      <Footer at={at} />
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
  fonts: string[];
  /** Sources that it may show in frames. */
  frames: string[];
}

/** Renders the layout of a page around its content. */
function render(at: PageDrawing, inside: ComponentChildren): RenderedPage {
  const { site } = at.view;
  const body = renderToString(<Frame at={at}>{inside}</Frame>);
  const fonts = fontsOf(site.look.styling, site.language);
  const style = `${fonts.css}${tokensOf(site.look)}${at.sheet.text()}`;
  const head = renderToString(<Head at={at} style={style} fonts={fonts} />);
  const theme = site.look.themes.default === 'system' ? '' : ` data-theme="${site.look.themes.default}"`;
  const html = `<!doctype html>\n<html lang="${site.language}" dir="${site.direction}"${theme}>${head}${body}</html>\n`;
  return { html, style, script: themeScript, fonts: fonts.origins, frames: [...at.frames] };
}

/** The document of a page generated from one operation repeats its description, so only the operation is drawn. */
function nodesOfPage({ view: { page }, references: { blocks } }: PageDrawing): ShownNode[] {
  const [[node, { title }] = [undefined, { title: undefined }], ...others] = blocks;
  const isAlone = page.isMade === true && others.length === 0 && title === page.title;
  return node !== undefined && isAlone ? [node] : page.document.nodes;
}

/** Renders a page with its document. `giveWay` yields to the event loop while rendering long pages. */
export async function renderPage(view: PageView, giveWay: () => Promise<unknown>): Promise<RenderedPage> {
  const at = drawingOf(view);
  // This HTML was rendered by components.
  const __html = await drawBlocks(at, giveWay);
  return render(
    at,
    <>
      <PageHeader at={at} />
      <article dangerouslySetInnerHTML={{ __html }} />
      <PageFooter at={at} />
    </>,
  );
}

/** Characters of HTML rendered before yielding to the event loop. */
const maxAtOnce = 100_000;

/** Renders the blocks of a page one after the other. */
async function drawBlocks(at: PageDrawing, giveWay: () => Promise<unknown>): Promise<string> {
  const parts: string[] = [];
  let drawn = 0;
  for (const node of nodesOfPage(at)) {
    const part = renderToString(<Blocks nodes={[node]} at={at} />);
    parts.push(part);
    drawn += part.length;
    if (drawn < maxAtOnce) continue;
    drawn = 0;
    await giveWay();
  }
  return parts.join('');
}

const Blocks = ({ nodes, at }: { nodes: ShownNode[]; at: PageDrawing }): ComponentChildren => at.blocks(nodes);

/** Renders the search page with its results. */
export function renderFound(view: PageView, { query, pages }: { query: string; pages: PageHit[] }): RenderedPage {
  const at = drawingOf(view);
  return render(
    at,
    <>
      <PageHeader at={at} />
      <article>
        <form action={hrefOf(view, '~/search')} method="get" class="search-page">
          <label class="hidden" for="~words">
            {at.texts.search}
          </label>
          <input id="~words" type="search" name="q" value={query} maxLength={256} />
          <button type="submit" class="button-primary">
            {at.texts.search}
          </button>
        </form>
        {query !== '' && (
          <p role="status">
            {(pages.length === 0 ? at.texts.noResults : at.texts.results).replace('{query}', () => query)}
          </p>
        )}
        <Found at={at} query={query} pages={pages} />
      </article>
    </>,
  );
}

/** Renders the page for HTTP 404, with suggestions and a link to the home page. */
export function renderMissing(view: PageView, near: PageHit[]): RenderedPage {
  const at = drawingOf({
    ...view,
    page: { ...view.page, title: textsOf(view.site.look.internationalization.locale).missing },
  });
  return render(
    at,
    <>
      <PageHeader at={at} />
      <article>
        {near.length > 0 && <p>{at.texts.missingText}</p>}
        <Found at={at} query="" pages={near} />
        <p>
          <Anchor at={at} to="">
            {at.texts.home}
          </Anchor>
        </p>
      </article>
    </>,
  );
}

/** Renders a page with one message and a link to the home page. */
export function renderNotice(view: PageView, text: string): RenderedPage {
  const at = drawingOf(view);
  return render(
    at,
    <>
      <PageHeader at={at} />
      <article>
        {text !== '' && <p role="status">{text}</p>}
        <p>
          <Anchor at={at} to="">
            {at.texts.home}
          </Anchor>
        </p>
      </article>
    </>,
  );
}

/** A section of a page that matches the search. */
interface FoundSection {
  title: string;
  text: string;
  to: ShownAddress;
}

/** A page that matches the search. */
export interface PageHit {
  title: string;
  /** Title of the page's space. */
  space: string;
  to: ShownAddress;
  sections: FoundSection[];
}

const maxWords = 10;

/** Text with the search words highlighted. */
function Marked({ text, query }: { text: string; query: string }): ComponentChildren {
  const words = query.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1);
  if (words.length === 0) return text;
  const pattern = words
    .slice(0, maxWords)
    .map((word) => word.slice(0, 64))
    .join('|');
  return text
    .split(new RegExp(`(${pattern})`, 'giu'))
    .map((part, index) => (index % 2 === 1 ? <mark>{part}</mark> : part));
}

/** The list of search results. */
const Found = ({ at, query, pages }: { at: PageDrawing; query: string; pages: PageHit[] }): ComponentChildren => (
  <ol class="found">
    {pages.map(({ title, space, to, sections }) => (
      <li>
        <h2>
          <Anchor at={at} to={to}>
            <Marked text={title} query={query} />
          </Anchor>
        </h2>
        <p class="where">{space}</p>
        {sections.map((section) => (
          <p>
            <Anchor at={at} to={section.to}>
              {section.title === '' ? title : section.title}
            </Anchor>{' '}
            <Marked text={section.text} query={query} />
          </p>
        ))}
      </li>
    ))}
  </ol>
);
