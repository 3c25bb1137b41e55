import type { Block, Inline, TextNode } from '@octavo/markdown';
import { type Figure, readHtml, withoutTags } from './html.ts';
import { iconText } from './icon-signs.ts';
import { colors, type Style } from './ink.ts';
import type { Span } from './line.ts';
import { groundColor, textColor } from './mark-colors.ts';
import { mathText } from './math-text.ts';
import type { Setting } from './setting.ts';

type Node = Block | Inline | TextNode;
type BlockData = Block['data'];

export const textIn = (data: BlockData, key: string): string => {
  const value = data[key];
  return typeof value === 'string' ? value : '';
};

export const urlOf = (data: BlockData, key = 'ref'): string => {
  const reference = data[key];
  const url = typeof reference === 'object' && reference !== null && 'url' in reference ? reference.url : '';
  return typeof url === 'string' ? url : '';
};

/** The image that a node shows. */
export function figureOf({ type, data }: Block | Inline): Figure {
  const found = type === 'html' ? readHtml(textIn(data, 'html')).find((part) => typeof part !== 'string') : undefined;
  return (
    found ?? {
      source: urlOf(data),
      alt: textIn(data, 'alt'),
      caption: withoutTags(textIn(data, 'caption')),
      width: textIn(data, 'width'),
      isLineHigh: textIn(data, 'size') === 'line',
    }
  );
}

/** The words of blocks, inlines and texts. */
export function plainOf(nodes: Node[]): string {
  return nodes
    .map((node) => {
      if (node.object === 'text') return node.leaves.map(({ text }) => text).join('');
      return node.object === 'inline' && node.isVoid ? voidText(node) : plainOf(node.nodes);
    })
    .join('');
}

function voidText({ type, data }: Inline): string {
  if (type === 'mention') return mentioned(data);
  if (type === 'emoji') return EMOJI.get(textIn(data, 'name')) ?? `:${textIn(data, 'name')}:`;
  if (type === 'inline-math') return mathText(textIn(data, 'formula'));
  if (type === 'icon') return iconText(textIn(data, 'icon'));
  if (type === 'expression') return `{{ ${textIn(data, 'expression')} }}`;
  if (type === 'inline-image') return textIn(data, 'alt');
  return type === 'hard-break' ? ' ' : '';
}

/** A mention of a user as it is written; '' for a mention of a page, which is a link. */
function mentioned({ ref }: BlockData): string {
  const user = typeof ref === 'object' && ref !== null && 'user' in ref ? ref.user : '';
  return typeof user === 'string' && user !== '' ? `@${user}` : '';
}

/** The texts of a paragraph, heading or cell in their styles. */
export function spansOf(setting: Setting, nodes: Node[], around = setting.style): Span[] {
  const spans: Span[] = [];
  let style = around;
  for (const node of nodes) {
    if (node.object === 'inline' && node.type === 'html') style = risen(textIn(node.data, 'html'), around) ?? style;
    if (node.object === 'text')
      for (const { text, marks } of node.leaves) {
        const own = marks.length === 0 ? style : marked(style, marks);
        spans.push({ text: own.mono ? text : text.replace(/[\r\n]+/g, ' '), style: own });
      }
    else if (node.object === 'inline') spans.push(...inlineSpans(setting, node, style));
    else spans.push(...spansOf(setting, node.nodes, style));
  }
  return spans;
}

/** What a tag makes of the text up to its end; undefined for a tag that changes nothing. */
function risen(html: string, style: Style): Style | undefined {
  const [, closes, name] = /^<(\/?)(su[pb])\b/i.exec(html) ?? [];
  if (name === undefined) return undefined;
  return closes ? style : { ...style, rise: name.toLowerCase() === 'sup' ? RISES.sup : RISES.sub };
}

/** How far texts stand above the line, in parts of their size. */
const RISES = { sup: 0.4, sub: -0.15 };

export const code = (style: Style): Style => ({
  ...style,
  mono: true,
  ground: true,
  italic: false,
  size: style.size * 0.88,
});

type Marks = TextNode['leaves'][number]['marks'];

function marked(style: Style, marks: Marks): Style {
  const types = marks.map(({ type }) => type);
  let own = { ...style, ...colorsOf(marks) };
  if (types.includes('bold')) own.bold = true;
  if (types.includes('italic')) own.italic = true;
  if (types.includes('strikethrough')) own.strike = true;
  if (types.includes('superscript')) own.rise = RISES.sup;
  if (types.includes('subscript')) own.rise = RISES.sub;
  if (types.includes('code') || types.includes('keyboard')) own = code(own);
  return own;
}

/** The colors that a mark gives; what is not known changes nothing. */
function colorsOf(marks: Marks): Pick<Style, 'paint'> & { color?: string } {
  const data = marks.find(({ type }) => type === 'color')?.data ?? {};
  const [color, paint] = [textColor(textIn(data, 'text')), groundColor(textIn(data, 'background'))];
  return { ...(color !== undefined && { color }), ...(paint !== undefined && { paint }) };
}

const imageSpan = (part: string | Figure, style: Style): Span[] =>
  typeof part === 'string' ? [] : [{ text: part.alt, style, figure: part }];

const LINKS = new Set(['link', 'mention', 'button']);

function inlineSpans(setting: Setting, node: Inline, style: Style): Span[] {
  const { type, data } = node;
  const user = type === 'mention' ? mentioned(data) : '';
  if (user !== '') return [{ text: user, style: { ...style, bold: true } }];
  if (LINKS.has(type)) {
    const url = urlOf(data);
    const target = setting.targetOf(url);
    const inside = node.nodes.length > 0 ? node.nodes : undefined;
    const own = target === undefined ? style : { ...style, color: colors.link, target };
    return inside === undefined ? [{ text: setting.titleOf(url) ?? url, style: own }] : spansOf(setting, inside, own);
  }
  if (type === 'hard-break') return [{ text: '', style, isBreak: true }];
  if (type === 'inline-math' || type === 'expression') return [{ text: voidText(node), style: code(style) }];
  if (type === 'annotation')
    return [{ text: textIn(data, 'label'), style: { ...style, rise: 0.4, color: colors.link } }];
  if (type === 'icon') return [{ text: voidText(node), style: { ...style, color: colors.soft } }];
  if (type === 'html') return readHtml(textIn(data, 'html')).flatMap((part) => imageSpan(part, style));
  if (type === 'inline-image') return imageSpan(figureOf(node), style);
  return [{ text: voidText(node), style }];
}

const EMOJI = new Map(
  `smile 😄 smiley 😃 grin 😁 joy 😂 wink 😉 heart ❤️ thumbsup 👍 +1 👍 thumbsdown 👎 -1 👎 tada 🎉 rocket 🚀 fire 🔥 star ⭐
   sparkles ✨ warning ⚠️ white_check_mark ✅ heavy_check_mark ✔️ x ❌ question ❓ exclamation ❗ bulb 💡 memo 📝 book 📖
   books 📚 lock 🔒 unlock 🔓 key 🔑 link 🔗 mag 🔍 gear ⚙️ wrench 🔧 hammer 🔨 bug 🐛 construction 🚧 zap ⚡ eyes 👀
   wave 👋 clap 👏 pray 🙏 muscle 💪 point_right 👉 point_left 👈 point_up 👆 point_down 👇 ok_hand 👌 raised_hands 🙌
   thinking 🤔 sunglasses 😎 cry 😢 sob 😭 scream 😱 heart_eyes 😍 100 💯 boom 💥 bell 🔔 calendar 📅 email 📧
   phone ☎️ computer 💻 package 📦 pushpin 📌 paperclip 📎 clipboard 📋 file_folder 📁 chart_with_upwards_trend 📈
   information_source ℹ️ no_entry ⛔ recycle ♻️ globe_with_meridians 🌐 house 🏠 bookmark 🔖 trophy 🏆 gift 🎁`
    .split(/\s+/)
    .flatMap((word, index, words) => (index % 2 === 0 ? [[word, words[index + 1] ?? ''] as [string, string]] : [])),
);
