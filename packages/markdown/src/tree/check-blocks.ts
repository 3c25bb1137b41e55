import { findNearestWord } from '@octavo/schema';
import type { Token } from 'markdown-it';
import { findFrontmatterBlock } from '../frontmatter-block.ts';
import { readBlocks, TooLarge } from './block-rules.ts';
import { getStyle } from './dialects.ts';
import { getTextAt, type TreeData } from './document-tree.ts';
import { hintStyles } from './published-data.ts';
import { blockNames, getKind } from './tags.ts';

/** A block that is not shown as its author meant. */
export interface BlockFault {
  /** The line of the text, from 1. */
  line: number;
  message: string;
}

/** A block that shows a part of an OpenAPI specification. */
export interface SpecificationBlock {
  line: number;
  /**
   * `openapi` and `swagger` blocks name a file in `source`; the other blocks name a specification of the organization
   * in `spec`.
   */
  name: string;
  spec?: string;
  source?: string;
  path?: string;
  method?: string;
  /** The name of a webhook. */
  webhook?: string;
  schemas?: string[];
}

export interface CheckedBlocks {
  faults: BlockFault[];
  specificationBlocks: SpecificationBlock[];
}

type TagToken = { name?: string; data?: TreeData; isOwn?: boolean } | null;

const mayHoldBlocks = /\{%|^[ \t>]*:::/m;

/**
 * Checks whether the blocks of a text have known names and values and are closed. Returns the faults in order. Also
 * returns the blocks that show parts of specifications, because these parts must be looked up.
 */
export function checkBlocks(markdown: string): CheckedBlocks {
  const checked: CheckedBlocks = { faults: [], specificationBlocks: [] };
  if (!mayHoldBlocks.test(markdown)) return checked;
  const offset = findFrontmatterBlock(markdown)?.bodyOffset ?? 0;
  const firstLine = markdown.slice(0, offset).split('\n').length;
  const unknownNames = new Set<string>();
  for (const token of getTokens(markdown.slice(offset))) {
    const line = firstLine + (token.map?.[0] ?? 0);
    const { name, data, isOwn }: NonNullable<TagToken> = (token.meta as TagToken) ?? {};
    if (token.type === 'silent' && isOwn !== true) report(checked, line, describeContainer(token.content));
    if (token.type === 'inline') reportInline(checked, line, token.content);
    if (name === undefined) continue;
    if (token.type === 'tag_open' || token.type === 'tag') {
      if (name === 'hint') report(checked, line, describeStyle(getTextAt(data, 'style')));
      if (data !== undefined) checked.specificationBlocks.push(...toSpecificationBlock(line, name, data));
    } else if (token.type === 'html_block') report(checked, line, describeTagProblem(name, data, unknownNames));
  }
  return checked;
}

/**
 * Returns the tokens of a text. Returns no tokens if the text has too many blocks, because its source is then shown
 * instead.
 */
function getTokens(text: string): Token[] {
  try {
    return readBlocks(text.replace(/\r\n?/g, '\n'), {});
  } catch (error) {
    if (error instanceof TooLarge) return [];
    throw error;
  }
}

function report({ faults }: CheckedBlocks, line: number, message: string | undefined): void {
  if (message !== undefined) faults.push({ line, message });
}

const inlineTag = /\{%-?[ \t]{0,9}([a-z][a-z-]{1,50})(?=[ \t%-])/g;
const inlineCode = /`{1,3}[^`]{0,1000}`{1,3}|<code>[^<]{0,1000}<\/code>/g;

/** Reports tags of blocks that are not on a line of their own. Conditions may be within a line. */
function reportInline(checked: CheckedBlocks, firstLine: number, text: string): void {
  if (!text.includes('{%')) return;
  for (const [index, line] of text.split('\n').entries())
    for (const [, name = ''] of line.replace(inlineCode, '').matchAll(inlineTag)) {
      const isBlock = getKind(name) !== undefined && !/^(?:if|include)$/.test(name);
      if (isBlock)
        report(checked, firstLine + index, `${formatTag(name)} is not on a line of its own, so it is shown as text.`);
    }
}

const suggest = (nearest: string | undefined): string => (nearest === undefined ? '' : ` Did you mean ${nearest}?`);
const formatTag = (name: string): string => `{% ${name} %}`;

/** Describes a hint whose style is unknown. */
function describeStyle(style: string | undefined): string | undefined {
  if (style === undefined || hintStyles.has(style)) return undefined;
  const nearest = getStyle(style) ?? findNearestWord(style, [...hintStyles]);
  return (
    `The hint style ${JSON.stringify(style.slice(0, 50))} is unknown, so it is shown as info. ` +
    `${nearest === undefined ? `Use ${[...hintStyles].join(', ')}.` : suggest(nearest).trim()}`
  );
}

/** Describes a tag that is not shown as a block. `unknownNames` are the unknown names of the opening tags before it. */
function describeTagProblem(name: string, data: TreeData | undefined, unknownNames: Set<string>): string | undefined {
  // Includes of files are checked separately.
  if (name === 'include') return undefined;
  if (/^(?:else|elseif|elsif)$/.test(name)) return `${formatTag(name)} is not inside a closed ${formatTag('if')}.`;
  const opened = name.startsWith('end') ? name.slice(3) : undefined;
  if (opened !== undefined && unknownNames.has(opened)) return undefined;
  if (opened !== undefined && getKind(opened) !== undefined)
    return `${formatTag(name)} closes no open ${formatTag(opened)}, so it is shown as text.`;
  if (getKind(name) === undefined) {
    unknownNames.add(name);
    const nearest = findNearestWord(opened ?? name, blockNames);
    const suggestedTag =
      nearest === undefined ? undefined : formatTag(`${opened === undefined ? '' : 'end'}${nearest}`);
    return `The block ${formatTag(name)} is unknown, so it is shown as text.${suggest(suggestedTag)}`;
  }
  if (data === undefined) return `The attributes of ${formatTag(name)} cannot be read, so it is shown as text.`;
  return `${formatTag(name)} is never closed, so it is shown as text. Add ${formatTag(`end${name}`)}.`;
}

/** Describes a container such as `:::note` whose name is unknown. */
function describeContainer(text: string): string | undefined {
  const [, name] = /^:::+[ \t]*([a-zA-Z][\w-]{0,50})[ \t]*$/.exec(text.trim()) ?? [];
  return name === undefined ? undefined : `The block :::${name} is unknown, so only its content is shown.`;
}

function toSpecificationBlock(line: number, name: string, data: TreeData): SpecificationBlock[] {
  const isOfFile = name === 'openapi' || name === 'swagger';
  if (!isOfFile && getKind(name)?.ofSpec !== true) return [];
  const source = isOfFile ? (getTextAt(data.ref, 'url') ?? getTextAt(data.ref, 'spec')) : undefined;
  // A block without a source contains the operation in its own text.
  if (isOfFile && source === undefined) return [];
  const texts = Object.entries({
    spec: isOfFile ? undefined : getTextAt(data.ref, 'spec'),
    source,
    path: getTextAt(data, 'path'),
    method: getTextAt(data, 'method')?.toLowerCase(),
    webhook: name === 'openapi-webhook' ? getTextAt(data, 'name') : undefined,
  }).filter(([, value]) => value !== undefined);
  const schemas = Array.isArray(data.schemas) ? { schemas: data.schemas.map(String) } : {};
  return [{ line, name, ...Object.fromEntries(texts), ...schemas }];
}
