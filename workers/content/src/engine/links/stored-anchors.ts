import { anchorsOf, maxAnchoredLength, slugify } from '@octavo/markdown';

/** What is stored of a document's anchors at most, in characters; of one that has more, none are known. */
const maxStoredLength = 16_384;

/** What brings headings and ids that do not stand in the text, by the families that write it so. */
const bringsOthers = new RegExp(
  [
    // Blocks of GitBook and tags of Jekyll; expressions, mdBook and shortcodes of Hugo; markdown-include; MkDocs snippets.
    /\{%-?[ \t]{0,9}(?:include|openapi|swagger)|\{\{|\{!|--8<--/,
    // VitePress and other comments; DocFX; directives of MyST; mkdocstrings; notes in notes.
    /<!--[ \t]{0,9}[@#]?(?:include|snippet)|\[!(?:INCLUDE|include)|\{(?:include|eval-rst|auto\w{1,20})\}|^:::[ \t]{1,9}\w{1,99}\.\w|!\[\[/,
    // Components that are not written out: `<Part />`, `<Part></Part>`, `<a-part/>`; and imported pages.
    /<(?:[A-Z][\w.]{0,99}|[a-z]\w{0,99}-[\w-]{0,99})(?=[\s/>])(?:[^<]{0,999}\/>|[^<]{0,999}>\s{0,99}<\/[A-Za-z])/,
    /^(?:import[ \t]|\}[ \t]{0,9}from[ \t]).{0,500}\.mdx?['"]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'm',
);
const ids = /[\s"'{](?:id|name)[ \t]{0,9}=[ \t]{0,9}["'{]{0,2}([^\s"'<>{}]{1,200})/g;
const marks = /[{\s]#([^\s{}#"'<>]{1,200})(?=[\s}])/g;
const labels = /^\(([^()\s]{1,200})\)=/gm;
const dates = /\{%-?[ \t]{0,9}update[ \t][^%]{0,200}?date="([^"\s]{1,40})"/g;

/**
 * The anchors of a text as they are stored: each between line ends, with all that looks like an id; '' where its text
 * does not tell them all, so that no link is told to be broken that is not.
 */
export function storedAnchors(markdown: string): string {
  if (markdown.length > maxAnchoredLength || bringsOthers.test(markdown)) return '';
  const found = new Set(anchorsOf(markdown).flatMap(({ id, aliases }) => [id, ...aliases]));
  for (const pattern of [ids, marks, labels, dates])
    for (const [, id = ''] of markdown.matchAll(pattern)) found.add(id);
  const stored = `\n${[...found].filter((id) => !/\s/.test(id)).join('\n')}\n`;
  return stored.length <= maxStoredLength && stored.isWellFormed() ? stored : '';
}

/** How much of an anchor is sought. */
export const maxAnchorLength = 1000;

/** The names by which an anchor of a link may be stored; none where browsers and applications decide what it means. */
export function namesOfAnchor(anchor: string): string[] {
  const written = decoded(anchor.slice(0, maxAnchorLength)).replace(/:~:.*$/s, '');
  if (written === '' || written === 'top' || /[/!?=&]/.test(written)) return [];
  return [...new Set([written, written.toLowerCase(), slugify(written)])].filter((name) => !/\s/.test(name));
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text).toWellFormed();
  } catch {
    return text;
  }
}
