import { isScalar } from 'yaml';
import type { Labels, TextPiece } from '../blocks.ts';
import { getPiecesInSteps } from '../blocks.ts';
import { readFrontmatter } from '../frontmatter.ts';
import { findFrontmatterBlock } from '../frontmatter-block.ts';
import { findHeroLinks } from '../hero.ts';
import type { CodeRuns } from '../inline-syntax.ts';
import { findCodeRuns, findCodeSpan, normalizeReference } from '../inline-syntax.ts';
import { getResult, type TreeSteps } from '../tree/steps.ts';
import type { LinkKind, LinkRelation, Occurrence, TagTail, TargetStyle, WrittenTarget } from './destinations.ts';
import {
  findImportedImages,
  matchAt,
  matchHtmlTag,
  matchShortcodeTag,
  matchTemplateTag,
  readDestination,
  readParentheses,
  shiftOccurrence,
  skipSpace,
} from './destinations.ts';

/** A target in a document, with escapes and entities decoded. */
interface DocumentLink {
  target: string;
  /** `dependsOn` if the target's content is a part of the document. */
  relation: LinkRelation;
  kind: LinkKind;
}

/**
 * Returns the distinct targets of a document, in order: inline links and images, used definitions, autolinks, HTML
 * links and images, block tags and the cover. Code and comments are ignored. Linear in the length.
 */
export const getLinks = (markdown: string): DocumentLink[] => getResult(getLinksInSteps(markdown));

/** Like `getLinks`, but works in steps. */
export function* getLinksInSteps(markdown: string): TreeSteps<DocumentLink[]> {
  const links = new Map<string, DocumentLink>();
  for (const { target, relation, kind } of yield* getOccurrences(markdown)) {
    const link = links.get(target);
    if (link === undefined) links.set(target, { target, relation, kind });
    else if (relation === 'dependsOn') links.set(target, { ...link, relation });
  }
  return [...links.values()];
}

/** Replaces the targets for which `to` returns a text. Everything else is unchanged to the byte. */
export function rewriteTargets(markdown: string, to: (target: string) => string | undefined): string {
  const parts: string[] = [];
  let position = 0;
  for (const { start, end, target, style } of getResult(getOccurrences(markdown))) {
    const other = to(target);
    if (other === undefined || other === target) continue;
    parts.push(markdown.slice(position, start), writeTarget(other, style, markdown.slice(start, end)));
    position = end;
  }
  return [...parts, markdown.slice(position)].join('');
}

/** Returns targets in HTML that is not parsed as markdown. */
export const findHtmlTargets = (html: string): string[] =>
  inlineLinks(html, { labels: new Set(), isHtml: true }).occurrences.map(({ target }) => target);

/** Removes the fragment of a target, because links are stored by the page or file that they link to. */
export const removeAnchor = (target: string): string => target.split('#', 1)[0] ?? '';

/** Returns each occurrence of a target, in order. */
function* getOccurrences(markdown: string): TreeSteps<Occurrence[]> {
  const { values, bodyOffset } = readFrontmatter(markdown);
  const occurrences: Occurrence[] = values.cover === undefined ? [] : getCover(markdown, values.cover);
  for (const link of findHeroLinks(markdown)) occurrences.push({ ...link, relation: 'reference', style: 'yaml' });
  const { pieces, labels } = yield* getPiecesInSteps(markdown, bodyOffset);
  const definitions = getDefinitions(markdown, pieces, labels);
  const defined = new Set(definitions.keys());
  const lines = new Set([...definitions.values()].map(({ line }) => line));
  const used = new Map<string, LinkKind>();
  for (const { kind, start, end } of pieces) {
    yield;
    if (lines.has(start)) continue;
    const inside = inlineLinks(markdown.slice(start, end), { labels: defined, isHtml: kind === 'html' });
    const imported = kind === 'html' ? findImports(markdown.slice(start, end)) : [];
    for (const occurrence of [...imported, ...inside.occurrences]) occurrences.push(shiftOccurrence(occurrence, start));
    for (const [label, use] of inside.used) if (!used.has(label)) used.set(label, use);
  }
  for (const [label, kind] of used) {
    const definition = definitions.get(label)?.destination;
    if (definition) occurrences.push({ ...definition, relation: 'reference', kind, style: 'destination' });
  }
  return occurrences.filter(({ target }) => target !== '').sort((one, other) => one.start - other.start);
}

/** Yields the images that an MDX script imports. */
const findImports = (script: string): Occurrence[] =>
  /^[ \t]*(?:im|ex)port[ \t]/.test(script)
    ? findImportedImages(script).map(({ address, start }) => ({
        start,
        end: start + address.length,
        target: address,
        relation: 'reference',
        kind: 'image',
        style: 'script',
      }))
    : [];

function getCover(markdown: string, target: string): Occurrence[] {
  const block = findFrontmatterBlock(markdown);
  const pair = block?.map.items.find(({ key }) => isScalar(key) && key.value === 'cover');
  if (block === undefined || !isScalar(pair?.value) || !pair.value.range) return [];
  const [start, end] = pair.value.range;
  const offset = block.sourceOffset;
  return [{ start: offset + start, end: offset + end, target, relation: 'reference', kind: 'cover', style: 'yaml' }];
}

const DEFINITION = /[ \t>*+-]*(?:\d{1,9}[.)][ \t]+)?\[(?!\^)((?:[^[\]\\]|\\[\s\S]){1,999})\]:/y;

/**
 * Returns the first definition of each label with the offsets of its target. In the part that was parsed for blocks,
 * only known labels count.
 */
function getDefinitions(
  markdown: string,
  pieces: TextPiece[],
  labels: Labels,
): Map<string, { line: number; destination: WrittenTarget }> {
  const definitionsByLabel = new Map<string, { line: number; destination: WrittenTarget }>();
  for (const { kind, start } of pieces) {
    if (kind !== 'loose' && kind !== 'unread') continue;
    const match = matchAt(DEFINITION, markdown, start);
    if (!match) continue;
    const label = normalizeReference(match[1] ?? '');
    if (definitionsByLabel.has(label) || (kind === 'loose' && !labels.has(label))) continue;
    const destination = readDestination(markdown, skipSpace(markdown, start + match[0].length));
    if (destination !== undefined) definitionsByLabel.set(label, { line: start, destination });
  }
  return definitionsByLabel;
}

const ENTITY = /&(?=#|[a-zA-Z])/g;
const ABSOLUTE = /^[a-zA-Z][a-zA-Z\d+.-]{1,31}:[^\s<>]*$/;
const PLAIN_YAML = /^[\w./][\w./ -]*(?<! )$/;

/** Escapes a target so that parsing returns the same target. `oldTarget` is the source text that it replaces. */
function writeTarget(target: string, style: TargetStyle, oldTarget: string): string {
  if (style === 'destination') return encodeDestination(target, oldTarget.startsWith('<'));
  if (style === 'attribute') return encodeEntities(target, /["'<>`|=\s]/g);
  if (style === 'yaml') return encodeYaml(target, oldTarget);
  if (style === 'plain') return encodePercent(target);
  if (style === 'script') return encodePercent(target).replace(/['\\{}]/g, toPercentCode);
  return ABSOLUTE.test(target) ? target : encodePercent(target);
}

function encodeDestination(target: string, isAngled: boolean): string {
  if (target === '' || isAngled || /[ ()]/.test(target)) return `<${encodeEntities(target, /[<>`|\\\n\r\t]/g)}>`;
  return encodeEntities(target, /[<>`|\\\s]/g);
}

/** Encodes matched characters, and ampersands that would start an entity, as HTML entities. */
const encodeEntities = (text: string, characters: RegExp): string =>
  text.replace(ENTITY, '&amp;').replace(characters, (character) => `&#${character.codePointAt(0)};`);

/** For targets in syntax without escapes: percent-encodes characters that would end the target. */
const encodePercent = (text: string): string =>
  text.replace(/["`<>\s]|%(?=\})/g, (character) => encodeURIComponent(character));

const toPercentCode = (sign: string): string => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;

function encodeYaml(target: string, oldText: string): string {
  const end = /\r?\n$/.exec(oldText)?.[0] ?? '';
  const isPlain =
    PLAIN_YAML.test(target) && /^[a-zA-Z./]/.test(target) && !/^(?:true|false|null|yes|no)$/i.test(target);
  return `${isPlain && !/^["']/.test(oldText) ? target : JSON.stringify(target)}${end}`;
}

const PLAIN = /[^\\`<[\]!{]+/y;
const LABEL = /\[([^[\]]{0,999})\]/y;
const AUTOLINK = /<([a-zA-Z][a-zA-Z\d+.-]{1,31}:[^\s<>]*)>/y;
const maxLabelLength = 999;

interface Scan {
  source: string;
  isHtml: boolean;
  occurrences: Occurrence[];
  labels: ReadonlySet<string>;
  used: Map<string, LinkKind>;
  open: { start: number; isImage: boolean }[];
  /**
   * Open brackets before this index already contain a link. Links cannot be nested, so these brackets cannot start a
   * link.
   */
  scannedLength: number;
  code: CodeRuns;
  lastComment: number;
  lastTag: number;
}

/**
 * Returns the targets in a part of a document, and the labels of the definitions that it uses. Linear in the length.
 */
function inlineLinks(
  source: string,
  { labels, isHtml }: { labels: ReadonlySet<string>; isHtml: boolean },
): Pick<Scan, 'occurrences' | 'used'> {
  const scan: Scan = {
    source,
    isHtml,
    occurrences: [],
    labels,
    used: new Map(),
    open: [],
    scannedLength: 0,
    code: isHtml ? new Map() : findCodeRuns(source),
    lastComment: source.lastIndexOf('-->'),
    lastTag: source.lastIndexOf('%}'),
  };
  for (let position = 0; position < source.length; ) position = scanNext(scan, position);
  return scan;
}

function scanNext(scan: Scan, position: number): number {
  const { source } = scan;
  const plain = matchAt(PLAIN, source, position);
  if (plain) return position + plain[0].length;
  const character = source.charAt(position);
  if (character === '<') return readAngle(scan, position);
  if (character === '{')
    return scanTag(
      scan,
      matchShortcodeTag(source, position) ?? matchTemplateTag(source, position, scan.lastTag),
      position,
    );
  if (scan.isHtml) return position + 1;
  if (character === '`') return skipCode(scan, position);
  if (character === '\\') return position + 2;
  if (character === ']') return closeLink(scan, position);
  if (character === '[') return openLink(scan, position, false);
  return source[position + 1] === '[' ? openLink(scan, position + 1, true) : position + 1;
}

function scanTag(scan: Scan, tag: TagTail | undefined, position: number): number {
  if (tag?.occurrence !== undefined) scan.occurrences.push(tag.occurrence, ...(tag.also ?? []));
  return tag?.end ?? position + 1;
}

function skipCode(scan: Scan, position: number): number {
  const { length, close } = findCodeSpan(scan.code, scan.source, position);
  return (close ?? position) + length;
}

function readAngle(scan: Scan, position: number): number {
  const { source } = scan;
  if (position + 4 <= scan.lastComment && source.startsWith('<!--', position)) {
    return source.indexOf('-->', position + 4) + 3;
  }
  const address = scan.isHtml ? undefined : matchAt(AUTOLINK, source, position)?.[1];
  if (address === undefined) return scanTag(scan, matchHtmlTag(source, position), position);
  const range = { start: position + 1, end: position + 1 + address.length };
  scan.occurrences.push({ ...range, target: address, relation: 'reference', kind: 'link', style: 'autolink' });
  return range.end + 1;
}

function openLink(scan: Scan, position: number, isImage: boolean): number {
  scan.open.push({ start: position + 1, isImage });
  return position + 1;
}

function closeLink(scan: Scan, position: number): number {
  const opening = scan.open.pop();
  if (opening === undefined) return position + 1;
  const isSpent = scan.open.length < scan.scannedLength && !opening.isImage;
  scan.scannedLength = Math.min(scan.scannedLength, scan.open.length);
  if (isSpent) return position + 1;
  const kind = opening.isImage ? 'image' : 'link';
  const end = readTarget(scan, position + 1, { kind, start: opening.start });
  if (end !== undefined && !opening.isImage) scan.scannedLength = scan.open.length;
  return end ?? position + 1;
}

/** Parses the text after the brackets of a link: a target, a label, or nothing if the bracketed text is the label. */
function readTarget(
  scan: Scan,
  position: number,
  { kind, start }: { kind: LinkKind; start: number },
): number | undefined {
  const { source } = scan;
  const parentheses = readParentheses(source, position);
  if (parentheses) {
    const { destination } = parentheses;
    if (destination) scan.occurrences.push({ ...destination, relation: 'reference', kind, style: 'destination' });
    return parentheses.end;
  }
  const label = matchAt(LABEL, source, position);
  const length = position - 1 - start;
  const name = label?.[1] || (length <= maxLabelLength ? source.slice(start, position - 1) : '');
  if (scan.labels.size === 0 || name === '' || name.includes('[')) return undefined;
  const key = normalizeReference(name);
  if (!scan.labels.has(key)) return undefined;
  if (!scan.used.has(key)) scan.used.set(key, kind);
  return position + (label?.[0].length ?? 0);
}
