import { renderUpdates } from '@octavo/reader';
import { loadView } from '../load-view.ts';
import { assetAddresses } from '../reader-files.ts';
import { missingPage } from '../serve-page.ts';
import type { SiteVisit } from '../site-visit.ts';
import { shellOf } from './for-agents.ts';
import { isHomeName } from './markdown-page.ts';
import { answerXml, xmlText } from './xml.ts';

const maxEntries = 50;

interface FeedEntry {
  title: string;
  /** Its address, which names it too. */
  url: string;
  /** ISO 8601. */
  updated: string;
  summary?: string | undefined;
  html?: string;
}

interface Feed {
  title: string;
  /** Of what it tells, and its own. */
  url: string;
  self: string;
  by: string;
  /** Where it has no entry. */
  updated: string;
  entries: FeedEntry[];
}

const textElement = (name: string, text: string | undefined, type = 'text'): string =>
  text === undefined ? '' : `<${name} type="${type}">${xmlText(text)}</${name}>`;

const entryOf = ({ title, url, updated, summary, html }: FeedEntry): string =>
  [
    `<entry>${textElement('title', title)}<link rel="alternate" href="${xmlText(url)}"/><id>${xmlText(url)}</id>`,
    `<updated>${updated}</updated>${textElement('summary', summary)}${textElement('content', html, 'html')}</entry>`,
  ].join('');

/** An Atom feed, newest first. */
function answerFeed({ title, url, self, by, updated, entries }: Feed): Response {
  const newest = entries.toSorted((a, b) => (a.updated < b.updated ? 1 : -1)).slice(0, maxEntries);
  const head = [
    `${textElement('title', title)}<id>${xmlText(url)}</id><link rel="alternate" href="${xmlText(url)}"/>`,
    `<link rel="self" type="application/atom+xml" href="${xmlText(self)}"/>`,
    `<updated>${newest[0]?.updated ?? updated}</updated><author><name>${xmlText(by)}</name></author>`,
  ];
  const body = [...head, ...newest.map(entryOf)].join('');
  return answerXml(`<feed xmlns="http://www.w3.org/2005/Atom">${body}</feed>`, 'application/atom+xml');
}

/** What has changed last in the space: its pages by the time of their last change. */
export async function serveFeed(visit: SiteVisit): Promise<Response> {
  const shell = await shellOf(visit);
  if (shell === undefined) return missingPage();
  const { view, tree, revision } = shell;
  const { title, url } = view.site;
  const entries = tree.order.flatMap((page): FeedEntry[] => {
    const updated = page.updatedAt ?? page.createdAt;
    return updated === undefined
      ? []
      : [{ title: page.title, url: `${url}${tree.placeOf(page)}`, updated, summary: page.description }];
  });
  const place = `${url}${view.base}`;
  return answerFeed({
    ...{ title, url: place, self: `${place}feed.xml`, by: title, updated: revision.createdAt, entries },
  });
}

const momentOf = (date: string): string | undefined =>
  Number.isNaN(Date.parse(date)) ? undefined : new Date(date).toISOString();

/** The updates that a page tells of, each with its place in the page. */
export async function serveUpdates(visit: SiteVisit, { path = '' }: Record<string, string>): Promise<Response> {
  const { url, content, api, env } = visit;
  const pathname = isHomeName(path) ? '/' : `/${path}`;
  const view = await loadView({ url, content: { ...content, pathname }, api, assets: await assetAddresses(env) });
  const entries = view === undefined ? [] : entriesOf(view);
  const [newest] = entries;
  if (view === undefined || newest === undefined) return missingPage();
  const { site, page, base, at } = view;
  const names = { title: `${page.title} | ${site.title}`, by: site.title, updated: newest.updated };
  return answerFeed({ ...names, url: `${site.url}${at}`, self: `${site.url}${base}${path}.atom`, entries });
}

const entriesOf = (view: Parameters<typeof renderUpdates>[0]): FeedEntry[] =>
  renderUpdates(view).flatMap(({ id, title, date, html }) => {
    const updated = momentOf(date);
    const url = `${new URL(view.at, view.site.url).href}#${encodeURIComponent(id)}`;
    return updated === undefined ? [] : [{ title, url, updated, html }];
  });
