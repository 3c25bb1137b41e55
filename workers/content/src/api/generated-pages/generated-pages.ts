import type { Block } from '@octavo/markdown';
import {
  getTree,
  isPlain,
  mayRunCode,
  nextFreeSlug,
  plainBlocks,
  renderTree,
  slugify,
  TreeError,
  textAt,
  treeOfJson,
} from '@octavo/markdown';
import type { GeneratedPageInput, GeneratedPageText } from '@octavo/schema';

/** Longer titles are left out of error messages, and never truncated: secrets are only recognized in complete texts. */
const maxReportedTitle = 100;

/** A link that runs code, in markdown or HTML, for example in a caption. */
const executableLink = /(?:\]\(<?|\]:<?|<|href=\\?["']?)(?:javascript|vbscript|data|file)(?::|&)/i;

/** Requires URLs of references: an empty one would link to the page itself. @throws TreeError */
function checkReferences(nodes: Block['nodes'], path: string): void {
  for (const [index, node] of nodes.entries()) {
    if (!isPlain(node)) continue;
    const at = `${path}.${index}`;
    for (const key of ['ref', 'refDark']) {
      const url = textAt(node.data[key], 'url');
      if (node.data[key] !== undefined && !url) throw new TreeError(`${at}.data.${key}`, 'must be a URL');
      if (url !== undefined && mayRunCode(url)) throw new TreeError(`${at}.data.${key}.url`, 'must not run code');
    }
    if (executableLink.test(JSON.stringify(node.data).replace(/\\[nrt]|\s/g, '')))
      throw new TreeError(`${at}.data`, 'must not contain links that run code');
    checkReferences(node.nodes, `${at}.nodes`);
  }
}

function renderDocument(document: unknown): string {
  if (document === undefined) return '';
  const { data = {}, nodes } = Object(document) as { data?: unknown; nodes?: unknown };
  const blocks = treeOfJson({ data, nodes }, { isKept: false }).nodes;
  checkReferences(blocks, 'nodes');
  return renderTree(getTree(plainBlocks(blocks)));
}

/** Returns the pages of an integration as they are stored: each with a free slug and its text as Markdown. */
export function makePages(pages: GeneratedPageInput[]): GeneratedPageText[] | { fault: string } {
  const taken = new Map<string, Set<string>>();
  const made: GeneratedPageText[] = [];
  for (const { title, slug, isLink = false, parent, ordinal, document } of pages) {
    const place = `${isLink} ${parent}`;
    const beside = taken.get(place) ?? new Set();
    const own = nextFreeSlug(slugify(slug ?? title), beside);
    taken.set(place, beside.add(own));
    try {
      made.push({ slug: own, text: renderDocument(document) });
    } catch (error) {
      if (!(error instanceof TreeError)) throw error;
      const said = title.length > maxReportedTitle ? '' : ` ("${title}")`;
      return { fault: `In the document of page ${ordinal}${said}, \`${error.path}\` ${error.message}.` };
    }
  }
  return made;
}
