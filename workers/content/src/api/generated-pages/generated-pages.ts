import type { Block } from '@octavo/markdown';
import {
  findFreeSlug,
  getTextAt,
  getTree,
  isPlain,
  mayRunCode,
  readJsonTree,
  renderTree,
  slugify,
  TreeError,
  toPlainBlocks,
} from '@octavo/markdown';
import type { GeneratedPageInput, GeneratedPageText } from '@octavo/schema';

/**
 * Maximum length of a title in an error message. Longer titles are left out and never truncated, because secrets are
 * only recognized in complete texts.
 */
const maxReportedTitle = 100;

/** A link that runs code, in markdown or HTML, for example in a caption. */
const executableLink = /(?:\]\(<?|\]:<?|<|href=\\?["']?)(?:javascript|vbscript|data|file)(?::|&)/i;

/** Rejects references without a URL, because an empty URL would link to the page itself. @throws TreeError */
function checkReferences(nodes: Block['nodes'], path: string): void {
  for (const [index, node] of nodes.entries()) {
    if (!isPlain(node)) continue;
    const itemPath = `${path}.${index}`;
    for (const key of ['ref', 'refDark']) {
      const url = getTextAt(node.data[key], 'url');
      if (node.data[key] !== undefined && !url) throw new TreeError(`${itemPath}.data.${key}`, 'must be a URL');
      if (url !== undefined && mayRunCode(url)) throw new TreeError(`${itemPath}.data.${key}.url`, 'must not run code');
    }
    if (executableLink.test(JSON.stringify(node.data).replace(/\\[nrt]|\s/g, '')))
      throw new TreeError(`${itemPath}.data`, 'must not contain links that run code');
    checkReferences(node.nodes, `${itemPath}.nodes`);
  }
}

function renderDocument(document: unknown): string {
  if (document === undefined) return '';
  const { data = {}, nodes } = Object(document) as { data?: unknown; nodes?: unknown };
  const blocks = readJsonTree({ data, nodes }, { isKept: false }).nodes;
  checkReferences(blocks, 'nodes');
  return renderTree(getTree(toPlainBlocks(blocks)));
}

/** Returns the pages of an integration as they are stored: each with a free slug and its text as Markdown. */
export function makePages(pages: GeneratedPageInput[]): GeneratedPageText[] | { fault: string } {
  const takenSlugs = new Map<string, Set<string>>();
  const madePages: GeneratedPageText[] = [];
  for (const { title, slug, isLink = false, parent, ordinal, document } of pages) {
    const key = `${isLink} ${parent}`;
    const siblingSlugs = takenSlugs.get(key) ?? new Set();
    const ownSlug = findFreeSlug(slugify(slug ?? title), siblingSlugs);
    takenSlugs.set(key, siblingSlugs.add(ownSlug));
    try {
      madePages.push({ slug: ownSlug, text: renderDocument(document) });
    } catch (error) {
      if (!(error instanceof TreeError)) throw error;
      const titleNote = title.length > maxReportedTitle ? '' : ` ("${title}")`;
      return { fault: `In the document of page ${ordinal}${titleNote}, \`${error.path}\` ${error.message}.` };
    }
  }
  return madePages;
}
