import type { ComponentChildren } from 'preact';
import { emojiOf, plainText } from '../document.ts';
import { hrefOf, type PageDrawing } from '../drawing.ts';
import { safeAddress } from '../references.ts';
import { themeScript } from '../theme/theme-script.ts';

const maxDescription = 200;

/** What the page says of itself, else how its text begins. */
function descriptionOf({ view: { page } }: PageDrawing): string {
  const text =
    page.description ?? plainText(page.document.nodes.filter(({ type }) => type === 'paragraph').slice(0, 3));
  return text.replace(/\s+/g, ' ').trim().slice(0, maxDescription);
}

function Favicon({ at }: { at: PageDrawing }): ComponentChildren {
  const { favicon } = at.view.site.look;
  if ('icon' in favicon) return <link rel="icon" href={safeAddress(favicon.icon.light)} />;
  const sign = 'emoji' in favicon ? emojiOf(favicon.emoji) : '📖';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><text y=".9em" font-size="90">${sign}</text></svg>`;
  return <link rel="icon" href={`data:image/svg+xml,${encodeURIComponent(svg)}`} />;
}

/** The way to the page, as search engines read it. What stands in it ends no element. */
function trailOf({ view: { breadcrumbs, site, page, canonicalUrl } }: PageDrawing): string {
  const places = [...breadcrumbs.map(({ title, to }) => ({ title, url: new URL(to, site.url).href }))];
  const items = [...places, { title: page.title, url: canonicalUrl }].map(({ title, url }, index) => ({
    ...{ '@type': 'ListItem', position: index + 1, name: title, item: url },
  }));
  const trail = { '@context': 'https://schema.org', '@type': 'BreadcrumbList', itemListElement: items };
  return JSON.stringify(trail).replaceAll('<', '\\u003c');
}

/** What a page tells browsers and search engines of itself. */
export function Head({ at, style }: { at: PageDrawing; style: string }): ComponentChildren {
  const { site, page, assets, canonicalUrl } = at.view;
  const description = descriptionOf(at);
  const title = page.title === site.title ? site.title : `${page.title} | ${site.title}`;
  const image = safeAddress(site.look.socialPreview.url);
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{title}</title>
      {description !== '' && <meta name="description" content={description} />}
      {!(site.isIndexed && page.isIndexed) && <meta name="robots" content="noindex" />}
      <link rel="canonical" href={canonicalUrl} />
      {at.view.alternates.map(({ language, to }) => (
        <link rel="alternate" hreflang={language} href={new URL(to, site.url).href} />
      ))}
      <meta property="og:type" content="article" />
      <meta property="og:title" content={page.title} />
      <meta property="og:site_name" content={site.title} />
      <meta property="og:url" content={canonicalUrl} />
      {description !== '' && <meta property="og:description" content={description} />}
      {image !== undefined && <meta property="og:image" content={image} />}
      <meta name="twitter:card" content={image === undefined ? 'summary' : 'summary_large_image'} />
      <Favicon at={at} />
      <link rel="alternate" type="application/atom+xml" href={hrefOf(at.view, 'feed.xml')} />
      {page.id !== '' && <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: trailOf(at) }} />}
      {/* The script is a constant, the style made of numbers and colours. */}
      <script dangerouslySetInnerHTML={{ __html: themeScript }} />
      <link rel="stylesheet" href={hrefOf(at.view, assets.style)} />
      <style dangerouslySetInnerHTML={{ __html: style }} />
      <script type="module" src={hrefOf(at.view, assets.script)} />
    </head>
  );
}
