import type { PageView } from '@octavo/reader';
import type { PageMetaLinks, PublishedContent, PublishedSite, SiteSpace } from '@octavo/schema';
import { siteSpacesOf } from './site-spaces.ts';

/** The language in which a site space is drawn. */
const localeOf = ({ customizations }: PublishedSite, siteSpace: string): string =>
  (customizations.siteSpaces[siteSpace] ?? customizations.site).internationalization.locale;

interface Found {
  published: PublishedSite;
  content: PublishedContent;
  links: PageMetaLinks;
  /** Of the page itself. */
  language: string;
}

/**
 * The page in the other languages of the site, itself among them, and the one for all other readers: that of the default
 * site space. Other versions in the same language are no alternates; nothing where there is but one language.
 */
export function alternatesOf({ published, content, links, language }: Found): PageView['alternates'] {
  const spaces = siteSpacesOf(published);
  const own = spaces.find(({ id }) => id === content.siteSpace);
  if (own === undefined) return [];
  const isBeside = ({ section, id }: SiteSpace) => section === own.section && id !== own.id;
  const others = links.alternates.flatMap((link) => {
    const of = link.kind === 'page' ? spaces.find((each) => each.space.id === link.space && isBeside(each)) : undefined;
    return link.kind !== 'page' || of === undefined || link.href === undefined ? [] : [{ of, to: link.href }];
  });
  const byLanguage = new Map([[language, { of: own, to: content.canonicalUrl }]]);
  for (const each of others) {
    const locale = localeOf(published, each.of.id);
    if (!byLanguage.has(locale)) byLanguage.set(locale, each);
  }
  if (byLanguage.size < 2) return [];
  const all = [...byLanguage].map(([name, { to }]) => ({ language: name, to }));
  const usual = [...byLanguage.values()].find(({ of }) => of.default === true);
  return usual === undefined ? all : [...all, { language: 'x-default', to: usual.to }];
}
