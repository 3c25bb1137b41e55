import { isMap, parseDocument, type YAMLMap } from 'yaml';

const MAX_BLOCK_BYTES = 64 * 1024;
const FENCE = /^---[ \t]*\r?$/;

/** The YAML mapping at the start of a document, and the UTF-16 offsets of its source and of the text after its block. */
export type FrontmatterBlock = { map: YAMLMap; sourceOffset: number; bodyOffset: number };

/** Finds the frontmatter block; a block over 64 KiB, of unusable YAML or of no mapping is not one. */
export function findFrontmatterBlock(markdown: string): FrontmatterBlock | undefined {
  const start = markdown.startsWith('\ufeff') ? 1 : 0;
  const first = lineAt(markdown, start);
  if (!FENCE.test(first.text)) return undefined;
  for (let line = lineAt(markdown, first.end); line.end > line.start; line = lineAt(markdown, line.end)) {
    if (line.end - first.end > MAX_BLOCK_BYTES + 8) return undefined;
    if (!FENCE.test(line.text)) continue;
    const map = parseMapping(markdown.slice(first.end, line.start));
    return map && { map, sourceOffset: first.end, bodyOffset: line.end };
  }
  return undefined;
}

function lineAt(text: string, start: number): { text: string; start: number; end: number } {
  const newline = text.indexOf('\n', start);
  const stop = newline < 0 ? text.length : newline;
  return { text: text.slice(start, Math.min(stop, start + 100)), start, end: Math.min(stop + 1, text.length) };
}

function parseMapping(source: string): YAMLMap | undefined {
  if (new TextEncoder().encode(source).length > MAX_BLOCK_BYTES) return undefined;
  try {
    const document = parseDocument(source, { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
    return document.errors.length === 0 && isMap(document.contents) ? document.contents : undefined;
  } catch {
    return undefined;
  }
}
