import type { ComponentChildren } from 'preact';
import { type RenderContext, toHref } from '../context.ts';
import { toEmoji } from '../document.ts';
import type { SiteFonts } from '../theme/fonts.ts';
import { themeScript } from '../theme/styles.ts';
import { toSafeAddress } from '../view.ts';
import { getMarkdownPath } from './page-frame.tsx';

const maxDescription = 200;

/** Returns the page's description, else the start of its text, else its title. */
function getDescription(context: RenderContext): string {
  const { page, site } = context.view;
  const text = (page.description ?? context.document.summary).replace(/\s+/g, ' ').trim();
  return text === '' ? `${page.title} – ${site.title}` : text.slice(0, maxDescription);
}

function Favicon({ context }: { context: RenderContext }): ComponentChildren {
  const { favicon } = context.view.site.customization;
  if ('icon' in favicon)
    return (['light', 'dark'] as const).map((scheme) => (
      <link rel="icon" href={toSafeAddress(favicon.icon[scheme])} media={`(prefers-color-scheme: ${scheme})`} />
    ));
  const inside =
    'emoji' in favicon
      ? `<text y=".9em" font-size="90">${toEmoji(favicon.emoji)}</text>`
      : '<path fill="#64748b" d="M20 5h42l23 23v67H20z"/><path stroke="#fff" stroke-width="7" d="M34 46h37M34 62h37M34 78h24"/>';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">${inside}</svg>`;
  return <link rel="icon" href={`data:image/svg+xml,${encodeURIComponent(svg)}`} />;
}

/** Returns structured data (JSON-LD) for search engines: breadcrumbs and the page itself, escaped for a `<script>`. */
function createStructuredData(
  { view: { breadcrumbs, site, page, canonicalUrl } }: RenderContext,
  description: string,
): string {
  const home = canonicalUrl === site.url ? [] : [{ title: site.title, url: site.url }];
  const breadcrumbItems = breadcrumbs.map(({ title, to }) => ({ title, url: new URL(to, site.url).href }));
  const items = [...home, ...breadcrumbItems, { title: page.title, url: canonicalUrl }].map(
    ({ title, url }, index) => ({
      ...{ '@type': 'ListItem', position: index + 1, name: title, item: url },
    }),
  );
  const trail = { '@type': 'BreadcrumbList', itemListElement: items };
  const article = {
    ...{ '@type': 'TechArticle', headline: page.title, url: canonicalUrl, inLanguage: site.language },
    ...(description === '' ? {} : { description }),
    ...(page.updatedAt === undefined ? {} : { dateModified: page.updatedAt }),
    isPartOf: { '@type': 'WebSite', name: site.title, url: site.url },
  };
  return JSON.stringify({ '@context': 'https://schema.org', '@graph': [trail, article] }).replaceAll('<', '\\u003c');
}

/** Returns the URL of the image in link previews: the one that the site sets, else the cover of the page. */
function getPreviewImage({ view: { site, page, resolve } }: RenderContext): string | undefined {
  const { cover, layout } = page;
  const siteImage = toSafeAddress(site.customization.socialPreview.url);
  if (siteImage !== undefined || cover === undefined || !layout.cover) return siteImage;
  const to = toSafeAddress(resolve(cover.ref)?.to);
  return to === undefined ? undefined : URL.parse(to, site.url)?.href;
}

/** Metadata for link previews. */
function Preview({ context, description }: { context: RenderContext; description: string }): ComponentChildren {
  const { site, page, canonicalUrl } = context.view;
  const image = getPreviewImage(context);
  const metaTags: [name: string, content: string | undefined][] = [
    ['og:type', page.id === '' ? 'website' : 'article'],
    ['og:title', page.title],
    ['og:site_name', site.title],
    ['og:url', canonicalUrl],
    ['og:locale', site.language.replace('-', '_')],
    ['og:description', description === '' ? undefined : description],
    ['og:image', image],
    ['og:image:alt', image === undefined ? undefined : site.title],
    ['article:modified_time', page.updatedAt],
  ];
  return (
    <>
      {metaTags.map(([name, content]) => content !== undefined && <meta property={name} content={content} />)}
      <meta name="twitter:card" content={image === undefined ? 'summary' : 'summary_large_image'} />
      <meta name="twitter:title" content={page.title} />
      <meta name="twitter:description" content={description} />
      {image !== undefined && <meta name="twitter:image" content={image} />}
    </>
  );
}

/** Alternate versions of a page: other languages, Markdown, and the feed of its changes. */
function Alternates({ context }: { context: RenderContext }): ComponentChildren {
  const { site, page, alternates, base, address } = context.view;
  const ownAddress = address === base ? `${base}index` : address;
  const feed = context.document.hasUpdates ? `${ownAddress}.atom` : `${base}feed.xml`;
  return (
    <>
      {alternates.map(({ language, to }) => (
        <link rel="alternate" hreflang={language} href={new URL(to, site.url).href} />
      ))}
      {page.id !== '' && site.isForAgents && (
        <link rel="alternate" type="text/markdown" href={toHref(context.view, getMarkdownPath(context))} />
      )}
      <link rel="alternate" type="application/atom+xml" title={site.title} href={toHref(context.view, feed)} />
    </>
  );
}

/** Loads the site's fonts that Octavo hosts. */
function Fonts({ context, fonts }: { context: RenderContext; fonts: SiteFonts }): ComponentChildren {
  const getHrefs = (names: string[]) =>
    names.flatMap((name) => toHref(context.view, context.view.assets.file(name)) ?? []);
  return (
    <>
      {getHrefs(fonts.preloads).map((href) => (
        <link rel="preload" as="font" type="font/woff2" crossorigin="anonymous" href={href} />
      ))}
      {getHrefs(fonts.stylesheets).map((href) => (
        <link rel="stylesheet" href={href} />
      ))}
    </>
  );
}

interface Props {
  context: RenderContext;
  /** The title of the browser's tab, without the name of the site. */
  title: string;
  style: string;
  fonts: SiteFonts;
}

/** The `<head>` of a page. */
export function Head({ context, title: pageTitle, style, fonts }: Props): ComponentChildren {
  const { site, page, assets, canonicalUrl } = context.view;
  const description = getDescription(context);
  const title = pageTitle === site.title ? site.title : `${pageTitle} | ${site.title}`;
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{title}</title>
      <meta name="description" content={description} />
      {!(site.isIndexed && page.isIndexed) && <meta name="robots" content="noindex" />}
      <link rel="canonical" href={canonicalUrl} />
      <Alternates context={context} />
      <Preview context={context} description={description} />
      <Favicon context={context} />
      {page.id !== '' && (
        <script
          type="application/ld+json"
          dangerouslySetInnerHTML={{ __html: createStructuredData(context, description) }}
        />
      )}
      {/* Safe: the script is a constant, and the style contains only numbers and colors. */}
      <script dangerouslySetInnerHTML={{ __html: themeScript }} />
      <link rel="stylesheet" href={toHref(context.view, assets.style)} />
      <Fonts context={context} fonts={fonts} />
      <style dangerouslySetInnerHTML={{ __html: style }} />
      <script type="module" src={toHref(context.view, assets.script)} />
    </head>
  );
}
