import {
  findFrontmatterBlock,
  readFrontmatter,
  setFrontmatter,
  titleOf,
  withFirstHeading,
  withHeading,
} from '@octavo/markdown';
import type { Places, WantedPage } from '@octavo/outline';
import type { Present } from '../import/present.ts';

/** What else is known of the file of a page where its text gives another title. */
export interface Listed {
  /** The page as the files say it, before a summary is changed. */
  wanted: () => Promise<WantedPage | undefined>;
  /** The text that is in the folder now. */
  there: () => Promise<string | undefined>;
}

/** What gives a page its title in a sidebar, in its own frontmatter. */
const labels = [['sidebar_label'], ['nav_title'], ['linkTitle'], ['sidebar', 'label']];

/**
 * The text of a page from which an import reads the title of the page: what gives the title says it, and so does a heading
 * that said the same. Undefined where that cannot be written.
 */
export async function withTitle(
  { title, git }: Present,
  text: string,
  { titles, listed }: { titles: Places['titles']; listed: Listed },
): Promise<string | undefined> {
  const said = readFrontmatter(text).values.title;
  const heading = titleOf(text);
  if (said === title) return text;
  if (said !== undefined) return renamed(setFrontmatter(text, ['title'], title), heading === said ? title : undefined);
  if (git === undefined && titles === 'frontmatter') return setFrontmatter(text, ['title'], title);
  const isThere = async () => readFrontmatter((await listed.there()) ?? '').values.title === title;
  if (titles === 'frontmatter' && (await isThere())) return setFrontmatter(text, ['title'], title);
  if (heading === title) return text;
  const added = () =>
    (titles === 'heading' ? withFirstHeading(text, title) : undefined) ?? setFrontmatter(text, ['title'], title);
  if (git === undefined) return added();
  const [wanted, there] = [await listed.wanted(), titleOf((await listed.there()) ?? '')];
  const label = wanted?.title;
  if (label !== undefined) {
    const own = labels.find((keys) => findFrontmatterBlock(text)?.map.getIn(keys) === label);
    const relabelled = own && label !== title ? setFrontmatter(text, own, title) : text;
    if (heading === undefined) return there === title ? added() : relabelled;
    return renamed(relabelled, heading === label || there === title ? title : undefined);
  }
  if (wanted === undefined || (heading === undefined && wanted.fallbackTitle === title)) return text;
  return heading === undefined ? added() : (withHeading(text, title) ?? setFrontmatter(text, ['title'], title));
}

const renamed = (text: string | undefined, heading: string | undefined): string | undefined =>
  text === undefined || heading === undefined ? text : (withHeading(text, heading) ?? text);
