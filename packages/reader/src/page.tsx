import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { drawingOf } from './draw.tsx';
import { hrefOf, type PageDrawing } from './drawing.ts';
import { Anchors } from './frame/anchors.tsx';
import { Navigation } from './frame/navigation.tsx';
import { tokensOf } from './theme/tokens.ts';
import type { PageView } from './view.ts';

const Body = ({ at }: { at: PageDrawing }): VNode => {
  const { page } = at.view;
  return (
    <body>
      <Navigation at={at} />
      <main>
        <h1>
          <Anchors ids={at.headings.title} />
          {page.title}
        </h1>
        {page.description !== undefined && <p class="lead">{page.description}</p>}
        {at.blocks(page.document.nodes)}
      </main>
    </body>
  );
};

/** A page as HTML, and the style in it, of which the policy of the answer must name the hash. */
export interface RenderedPage {
  html: string;
  /** What stands between `<style>` and `</style>`. */
  style: string;
}

/** Draws a page. */
export function renderPage(view: PageView): RenderedPage {
  const at = drawingOf(view);
  const body = renderToString(<Body at={at} />);
  const style = `${tokensOf(view.site.look)}${at.sheet.text()}`;
  const { site, page, assets } = view;
  const head = renderToString(
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{`${page.title} | ${site.title}`}</title>
      <link rel="stylesheet" href={hrefOf(view, assets.style)} />
      <style dangerouslySetInnerHTML={{ __html: style }} />
      <script type="module" src={hrefOf(view, assets.script)} />
    </head>,
  );
  return { html: `<!doctype html><html lang="${site.language}" dir="${site.direction}">${head}${body}</html>`, style };
}
