/** The start of a line that defines the target of a link or a footnote, also in a list or a quote. */
const linePrefix = '^[ \\t>*+\\-\\d.)]*';
const definitionOrImport = new RegExp(`${linePrefix}\\[[^\\]]+\\]:|^import\\s`, 'm');

/** Whether a text may define targets of links, footnotes or imports. */
export const hasDefinitions = (markdown: string): boolean => definitionOrImport.test(markdown);

/** Normalizes a label. In a quote, a label that continues in the next line contains the sign of the quote. */
const normalizeLabel = (label: string): string =>
  label
    .trim()
    .replace(/[\s>]*\n[\s>]*|\s+/g, ' ')
    .toLowerCase();

type ListLabels = (markdown: string) => Set<string>;

/** Returns the texts in square brackets, and the names of components such as `<Note`. Both can refer to definitions. */
const listPossibleLabels: ListLabels = (markdown) => {
  const labels = [...markdown.matchAll(/\[((?:\\.|[^[\]\\])+)\]/g)].map(([, label = '']) => normalizeLabel(label));
  return new Set([...labels, ...(markdown.match(/<[A-Z]\w*/g) ?? [])]);
};

/** Returns the labels without the texts of links that have an address. */
const listLabels: ListLabels = (markdown) => listPossibleLabels(markdown.replace(/\[(?:\\.|[^[\]\\])+\](?=\()/g, ''));

/** The title of a link definition in a line of its own. */
const nextTitle = '(?:\\n[ \\t]*(?:"[^"\\n]*"|\'[^\'\\n]*\'|\\([^()\\n]*\\))[ \\t]*$)?';

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
  const links = new RegExp(`${linePrefix}(\\[((?!\\^)[^\\]\\n]+)\\]:[ \\t]*\\n?[ \\t]*\\S[^\\n]*${nextTitle})`, 'gm');
  return [...source.matchAll(links)].map(([, link = '', label = '']) => ({
    label: normalizeLabel(label),
    source: link,
  }));
}

/** Returns the definitions that a text uses, directly or through another definition, such as a footnote. */
export type FindDefinitions = (markdown: string) => string[];

function createSearch(definitions: Definition[], list: ListLabels): FindDefinitions {
  const numbered = definitions.map((definition, number) => ({ ...definition, number }));
  const byLabel = Map.groupBy(numbered, ({ label }) => label);
  return (markdown) => {
    const used = new Set<(typeof numbered)[number]>();
    for (let text = markdown; text !== ''; ) {
      const added = [...list(text)].flatMap((label) => byLabel.get(label) ?? []).filter((each) => !used.has(each));
      for (const definition of added) used.add(definition);
      text = added.map(({ source }) => source).join('\n');
    }
    const ordered = [...used].sort((one, other) => one.number - other.number);
    return [...new Set(ordered.map(({ source }) => source))];
  };
}

/** Returns the definitions in `sources` that a text uses, without the rest of their blocks. */
export const findUsedDefinitions = (markdown: string, sources: string[]): string[] =>
  createSearch(sources.flatMap(listDefinitions), listLabels)(markdown);

/**
 * Indexes the definitions in the sources of blocks. The found definitions include the rest of their block, unless the
 * block has only definitions, because only the whole block shows whether a line in it, such as a line of code, is one.
 */
export const indexDefinitions = (sources: string[]): FindDefinitions =>
  createSearch(
    sources.flatMap((source) => {
      const hasOnlyDefinitions = /^ {0,3}\[(?!\^)[^\]\n]+\]:/.test(source);
      return listDefinitions(source).map((each) => (hasOnlyDefinitions ? each : { ...each, source }));
    }),
    // Text in parentheses after a label is not always an address.
    listPossibleLabels,
  );
