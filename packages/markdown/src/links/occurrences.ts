import { isScalar } from 'yaml';
import { readFrontmatter } from '../frontmatter.ts';
import { findFrontmatterBlock } from '../frontmatter-block.ts';
import { definitionsOf } from './definitions.ts';
import { inlineLinks } from './inline-links.ts';
import type { LinkKind, Occurrence } from './occurrence.ts';
import { shifted } from './occurrence.ts';
import { piecesOf } from './pieces.ts';

/** Every place of a document where a target is written, in order. */
export function occurrencesOf(markdown: string): Occurrence[] {
  const { values, bodyOffset } = readFrontmatter(markdown);
  const found: Occurrence[] = values.cover === undefined ? [] : coverOf(markdown, values.cover);
  const { pieces, labels } = piecesOf(markdown, bodyOffset);
  const definitions = definitionsOf(markdown, pieces, labels);
  const defined = new Set(definitions.keys());
  const lines = new Set([...definitions.values()].map(({ line }) => line));
  const used = new Map<string, LinkKind>();
  for (const { kind, start, end } of pieces) {
    if (lines.has(start)) continue;
    const inside = inlineLinks(markdown.slice(start, end), { labels: defined, isHtml: kind === 'html' });
    for (const occurrence of inside.found) found.push(shifted(occurrence, start));
    for (const [label, use] of inside.used) if (!used.has(label)) used.set(label, use);
  }
  for (const [label, kind] of used) {
    const definition = definitions.get(label)?.destination;
    if (definition) found.push({ ...definition, relation: 'reference', kind, style: 'destination' });
  }
  return found.filter(({ target }) => target !== '').sort((one, other) => one.start - other.start);
}

function coverOf(markdown: string, target: string): Occurrence[] {
  const block = findFrontmatterBlock(markdown);
  const pair = block?.map.items.find(({ key }) => isScalar(key) && key.value === 'cover');
  if (block === undefined || !isScalar(pair?.value) || !pair.value.range) return [];
  const [start, end] = pair.value.range;
  const offset = block.sourceOffset;
  return [{ start: offset + start, end: offset + end, target, relation: 'reference', kind: 'cover', style: 'yaml' }];
}
