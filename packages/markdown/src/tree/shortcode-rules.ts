import type { StateBlock } from 'markdown-it';
import { linkKeys } from '../links/tags.ts';
import { extentAt, isIndented, lineOf } from './block-state.ts';
import { within } from './component-rule.ts';
import { mayBeConditional } from './conditions.ts';
import { meaningOfName } from './dialects.ts';
import { urlReference } from './document-tree.ts';
import { openingOf } from './extents.ts';
import { close, openTag, paragraph, put } from './foreign-blocks.ts';
import { escapeAttribute } from './markup.ts';
import { putCode } from './template-rules.ts';

const IN_LINE =
  /^\{\{[<%][ \t]{0,9}(tab|tab-item|button)(?![\w-])([^{}]{0,300})[>%]\}\}(.*)\{\{[<%][ \t]{0,9}\/[ \t]{0,9}\1[ \t]{0,9}[>%]\}\}$/;

/** Shortcodes of Hugo that stand alone, that hold code, or that open and end in one line. */
export function shortcode(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  const text = isIndented(state, line) ? '' : lineOf(state, line);
  if (!/^\{\{[<%]/.test(text) || mayBeConditional(text)) return false;
  const [, tab = '', rest = '', content = ''] = IN_LINE.exec(text) ?? [];
  if (tab === 'button') return button(state, line, { rest, content }, silent);
  if (tab !== '') return silent || putTab(state, line, { rest, from: text.indexOf('}}') + 2, content });
  const opening = openingOf(text);
  if (opening === undefined || opening.closes) return false;
  const { name } = opening;
  if (/^(?:highlight|mermaid)$/.test(name)) return code(state, { line, endLine, silent, name, rest: opening.rest });
  return alone(state, line, { name, rest: opening.rest, text }, silent);
}

type InLine = { rest: string; from: number; content: string };

function putTab(state: StateBlock, line: number, { rest, from, content }: InLine): boolean {
  const meaning = meaningOfName('tab', rest.trim()) ?? { type: 'tabs-item', data: { title: '' } };
  const written = { open: lineOf(state, line).slice(0, from), close: lineOf(state, line).slice(from + content.length) };
  openTag(state, { meaning, written, place: { line, end: line + 1 } });
  within(state, line, { from, to: from + content.length });
  close(state, 'tabs-item');
  state.line = line + 1;
  return true;
}

function button(
  state: StateBlock,
  line: number,
  { rest, content }: { rest: string; content: string },
  silent: boolean,
): boolean {
  const address = valueIn(rest, linkKeys);
  if (address === '' || content.trim() === '') return false;
  if (silent) return true;
  paragraph(state, line, `<a href="${escapeAttribute(address)}" class="button primary">${content.trim()}</a>`);
  state.line = line + 1;
  return true;
}

type Coded = { line: number; endLine: number; silent: boolean; name: string; rest: string };

function code(state: StateBlock, { line, endLine, silent, name, rest }: Coded): boolean {
  const extent = extentAt(state, line, endLine);
  if (extent === undefined) return false;
  const content = state.getLines(line + 1, extent.end, state.blkIndent, true);
  if (mayBeConditional(content)) return false;
  const info = name === 'mermaid' ? name : rest.replace(/"([^"]*)"$/, '{$1}');
  if (!silent) putCode(state, { line, end: extent.end + 1, info, content });
  return true;
}

/** A gist is told by its owner and its id. */
const gistOf = (rest: string): string => {
  const [, owner, id] = /^"?([\w-]{1,64})"?[ \t]+"?(\w{1,64})"?(?=[ \t]|$)/.exec(rest) ?? [];
  return id === undefined ? '' : `https://gist.github.com/${owner}/${id}`;
};

const PLAYERS: Record<string, string> = { youtube: 'https://www.youtube.com/watch?v=', vimeo: 'https://vimeo.com/' };

type Alone = { name: string; rest: string; text: string };

function alone(state: StateBlock, line: number, { name, rest, text }: Alone, silent: boolean): boolean {
  const said = (...keys: string[]): string => valueIn(rest, keys);
  const source = /^(?:figure|img|image)$/.test(name) ? said('src') : '';
  const id = Object.hasOwn(PLAYERS, name) ? said('id') || (/^"?([\w-]{1,64})"?$/.exec(rest)?.[1] ?? '') : '';
  const embedded = id === '' ? (name === 'gist' ? gistOf(rest) : '') : `${PLAYERS[name] ?? ''}${id}`;
  const isCard = name === 'card' && said('title', 'link') !== '';
  if (source === '' && embedded === '' && !isCard) return false;
  if (silent) return true;
  const place = { line, end: line + 1 };
  if (source !== '') {
    const caption = [said('title'), said('caption')].filter((each) => each !== '').join(': ');
    const width = /^\d+(?:px|%)?$/.test(said('width')) ? ` width="${said('width')}"` : '';
    const image = `<img src="${escapeAttribute(source)}" alt="${escapeAttribute(said('alt'))}"${width}>`;
    const token = state.push('html_block', '', 0);
    token.content = `<figure>${image}<figcaption>${escapeAttribute(caption)}</figcaption></figure>`;
    token.map = [line, line + 1];
  } else if (embedded !== '') {
    const token = state.push('tag', '', 0);
    token.meta = { name: 'embed', data: { ref: urlReference(embedded) } };
    token.map = [line, line + 1];
  } else {
    const link = said(...linkKeys);
    const texts = { title: said('title'), description: said('subtitle', 'description') };
    const data = { ...texts, ...(link !== '' && { ref: urlReference(link) }) };
    openTag(state, { meaning: { type: 'card', data }, written: { open: text }, place });
    put(state, line, line + 1, true);
    close(state, 'card');
  }
  state.line = line + 1;
  return true;
}

function valueIn(rest: string, keys: string[]): string {
  for (const key of keys) {
    const value = new RegExp(`(?:^|[ \\t])${key}=(?:"([^"]*)"|([^\\s"]+))`).exec(rest);
    if (value !== null) return value[1] ?? value[2] ?? '';
  }
  return '';
}
