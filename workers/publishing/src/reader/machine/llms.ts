import type { SiteSpace } from '@octavo/schema';
import type { SiteShell } from '../load-view.ts';
import { missingPage } from '../serve-page.ts';
import { siteSpacesOf } from '../site-spaces.ts';
import type { SiteVisit } from '../site-visit.ts';
import { answerText, forAgents } from './for-agents.ts';
import { asPage } from './markdown-page.ts';

/** Of so many site spaces a list tells. */
const maxSpaces = 200;
const maxLinks = 5000;

const folderOf = (address: string): string => (address.endsWith('/') ? address : `${address}/`);

/** A text in a list of links, on one line. */
const plain = (text: string): string => text.replace(/\s+/g, ' ').replace(/[[\]\\]/g, '\\$&');

/** The other site spaces, with a file of each. */
function othersOf({ published }: SiteShell, { content }: SiteVisit, file: string): string[] {
  const others = siteSpacesOf(published).filter(({ id, urls }) => id !== content.siteSpace && urls.published);
  if (others.length === 0) return [];
  const line = ({ title, urls }: SiteSpace) => `- [${plain(title)}](${folderOf(urls.published ?? '')}${file})`;
  return ['## More of this site', others.slice(0, maxSpaces).map(line).join('\n')];
}

/** The pages of the space as a list of links for agents, and where the lists of the site's other spaces are. */
export const serveList = (visit: SiteVisit): Promise<Response> =>
  forAgents(visit, (shell) => {
    const { published, tree, view } = shell;
    const { url, title } = view.site;
    const space = siteSpacesOf(published).find(({ id }) => id === visit.content.siteSpace);
    const lines = tree.order.slice(0, maxLinks).map((page) => {
      const about = page.description === undefined ? '' : `: ${plain(page.description)}`;
      return `- [${plain(page.title)}](${url}${markdownPlaceOf(shell, page.path)})${about}`;
    });
    const left = tree.order.length - lines.length;
    if (left > 0) lines.push(`- ${left} more pages are in the [sitemap](${url}sitemap.xml).`);
    const parts = [
      ...[`# ${plain(title)}`, `> All pages as one text: ${url}${view.base}llms-full.txt`],
      ...[`## ${plain(space?.title ?? title)}`, lines.join('\n')],
      ...othersOf(shell, visit, 'llms.txt'),
    ];
    return answerText(`${parts.join('\n\n')}\n`);
  });

/** Where a page of the space is as markdown, in the site. */
const markdownPlaceOf = ({ view, tree }: SiteShell, path: string): string =>
  `${view.base}${tree.at(path) === tree.home ? 'index' : path.split('/').map(encodeURIComponent).join('/')}.md`;

/** What is read at once for one part of the whole text. */
const pagesOfPart = 20;

/** The pages of the space as one text, in parts of some pages each, of which each names the next. */
export const serveWhole = (visit: SiteVisit, { part = '1' }: Record<string, string>): Promise<Response> =>
  forAgents(visit, async (shell) => {
    const { tree, view } = shell;
    const start = (Number(part) - 1) * pagesOfPart;
    const pages = tree.order.slice(start, start + pagesOfPart);
    if (start < 0 || (pages.length === 0 && start > 0)) return missingPage();
    const written = await visit.api.texts({
      ...{ space: visit.content.space, revision: shell.revision.id, references: 'relative' },
      pages: pages.map(({ id }) => id),
    });
    const texts = pages.map((page, index) => {
      const text = asPage(written[index] ?? '', page.title);
      return `${text.trim()}\n\nSource: ${view.site.url}${tree.placeOf(page)}`;
    });
    const end = start + pages.length;
    const next = `${view.site.url}${view.base}llms-full-${Number(part) + 1}.txt`;
    const total = tree.order.length;
    const rest =
      end < total
        ? [`This text holds the pages ${start + 1} to ${end} of ${total}. It goes on at ${next}`]
        : othersOf(shell, visit, 'llms-full.txt');
    return answerText(`${[...texts, rest.join('\n\n')].filter((text) => text !== '').join('\n\n---\n\n')}\n`);
  });
