import { isMap, parseDocument, YAMLMap } from 'yaml';
import { linesOfToml, linesOfYaml, withoutTemplates } from './frontmatter-lines.ts';

const MAX_BLOCK_BYTES = 64 * 1024;
const FENCES = [/^---[ \t]*\r?$/, /^\+\+\+[ \t]*\r?$/];

/**
 * What stands at the start of a document, and the UTF-16 offsets of its source and of the text after its block. `reading`
 * is how it was read: as YAML, line by line where that cannot be read as YAML, or as TOML between `+++`.
 */
export type FrontmatterBlock = {
  map: YAMLMap;
  sourceOffset: number;
  bodyOffset: number;
  reading: 'yaml' | 'lines' | 'toml';
};

/** Finds the frontmatter block; a block over 64 KiB or of no mapping is not one. Ranges of its nodes count from `sourceOffset`. */
export function findFrontmatterBlock(markdown: string): FrontmatterBlock | undefined {
  const start = markdown.startsWith('\ufeff') ? 1 : 0;
  const first = lineAt(markdown, start);
  const fence = FENCES.find((each) => each.test(first.text));
  if (fence === undefined) return undefined;
  for (let line = lineAt(markdown, first.end); line.end > line.start; line = lineAt(markdown, line.end)) {
    if (line.end - first.end > MAX_BLOCK_BYTES + 8) return undefined;
    if (!fence.test(line.text)) continue;
    const read = mappingOf(markdown.slice(first.end, line.start), fence === FENCES[0]);
    return read && { ...read, sourceOffset: first.end, bodyOffset: line.end };
  }
  return undefined;
}

function lineAt(text: string, start: number): { text: string; start: number; end: number } {
  const newline = text.indexOf('\n', start);
  const stop = newline < 0 ? text.length : newline;
  return { text: text.slice(start, Math.min(stop, start + 100)), start, end: Math.min(stop + 1, text.length) };
}

function mappingOf(source: string, isYaml: boolean): Pick<FrontmatterBlock, 'map' | 'reading'> | undefined {
  if (new TextEncoder().encode(source).length > MAX_BLOCK_BYTES) return undefined;
  if (!isYaml) return mapOf(linesOfToml(source), 'toml');
  const whole = parseWhole(source);
  if (whole !== 'unreadable') return whole && { map: whole, reading: 'yaml' };
  return mapOf(linesOfYaml(source), 'lines');
}

function mapOf(items: YAMLMap['items'] | undefined, reading: 'lines' | 'toml') {
  if (items === undefined) return undefined;
  const map = new YAMLMap();
  map.items = items;
  return { map, reading };
}

function parseWhole(source: string): YAMLMap | 'unreadable' | undefined {
  try {
    const document = parseDocument(source, { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
    if (document.errors.length > 0) return 'unreadable';
    return isMap(document.contents) ? withoutTemplates(document.contents, source) : undefined;
  } catch {
    return 'unreadable';
  }
}
