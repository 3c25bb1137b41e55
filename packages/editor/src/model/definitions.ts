/** The start of a line that defines the target of a link or a footnote, also in a list or a quote. */
const linePrefix = '^[ \\t>*+\\-\\d.)]*';
const definitionOrImport = new RegExp(`${linePrefix}\\[[^\\]]+\\]:|^import\\s`, 'm');

/** Whether a text may define targets of links, footnotes or imports. */
export const hasDefinitions = (markdown: string): boolean => definitionOrImport.test(markdown);

const normalizeLabel = (label: string): string => label.trim().replace(/\s+/g, ' ').toLowerCase();

/**
 * Returns the labels in square brackets, and the names of components such as `<Note`. Both can refer to definitions. A
 * link with an address has no label.
 */
function listLabels(markdown: string): Set<string> {
  const labels = [...markdown.matchAll(/\[((?:\\.|[^[\]\\])+)\](?!\()/g)].map(([, label = '']) =>
    normalizeLabel(label),
  );
  return new Set([...labels, ...(markdown.match(/<[A-Z]\w*/g) ?? [])]);
}

interface Definition {
  label: string;
  source: string;
}

/**
 * Returns the definitions in the source of a block: a footnote with all its lines, the names in imports, or single
 * definitions of links.
 */
function listDefinitions(source: string): Definition[] {
  if (/^import\s/.test(source)) return (source.match(/\w+/g) ?? []).map((name) => ({ label: `<${name}`, source }));
  const [, footnote] = /^ {0,3}\[(\^[^\]\n]+)\]:/.exec(source) ?? [];
  if (footnote !== undefined) return [{ label: normalizeLabel(footnote), source }];
  const links = new RegExp(`${linePrefix}(\\[((?!\\^)[^\\]\\n]+)\\]:[ \\t]*\\n?[ \\t]*\\S[^\\n]*)`, 'gm');
  return [...source.matchAll(links)].map(([, link = '', label = '']) => ({
    label: normalizeLabel(label),
    source: link,
  }));
}

/**
 * Returns the definitions in `sources` that a text uses, directly or through another definition, such as a footnote.
 */
export function findUsedDefinitions(markdown: string, sources: string[]): string[] {
  const definitions = sources.flatMap(listDefinitions);
  const used = new Set<Definition>();
  for (let text = markdown; text !== ''; ) {
    const labels = listLabels(text);
    const added = definitions.filter((definition) => !used.has(definition) && labels.has(definition.label));
    for (const definition of added) used.add(definition);
    text = added.map(({ source }) => source).join('\n');
  }
  return [...new Set(definitions.filter((definition) => used.has(definition)).map(({ source }) => source))];
}
