import { type Block, findBareAddresses, type Inline, matchBlockTag, type TextNode } from '@octavo/markdown';
import { type Figure, readHtml, removeTags } from './html.ts';
import { colors, type Style } from './ink.ts';
import type { Span } from './line.ts';
import type { Setting } from './setting.ts';

/** Characters for meaningful Font Awesome icons, by name. */
const SIGNS: Record<string, string> = {
  check: '✓',
  'circle-check': '✓',
  'square-check': '☑',
  xmark: '✗',
  'circle-xmark': '✗',
  times: '✗',
  plus: '+',
  minus: '−',
  star: '★',
  circle: '●',
  'arrow-right': '→',
  'arrow-left': '←',
  'arrow-up': '↑',
  'arrow-down': '↓',
  'arrow-right-long': '→',
  'chevron-right': '›',
  'chevron-left': '‹',
  copyright: '©',
  info: 'i',
  question: '?',
  exclamation: '!',
};

/** Returns the character of an icon, or its name in brackets like a missing image. */
const getIconText = (name: string): string => (Object.hasOwn(SIGNS, name) ? (SIGNS[name] ?? '') : `[${name}]`);

const parseTable = (text: string): Map<string, string> => {
  const words = text.split(/\s+/);
  return new Map(words.flatMap((word, index) => (index % 2 === 0 ? [[word, words[index + 1] ?? '']] : [])));
};

/** TeX commands for one symbol. */
const MATH_SIGNS = parseTable(
  `alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ
   pi π rho ρ sigma σ tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π
   Sigma Σ Phi Φ Psi Ψ Omega Ω times × div ÷ pm ± cdot · le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ approx ≈ equiv ≡ propto ∝
   infty ∞ sum ∑ prod ∏ int ∫ partial ∂ nabla ∇ in ∈ ni ∋ subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ cup ∪ cap ∩ forall ∀
   exists ∃ to → rightarrow → leftarrow ← Rightarrow ⇒ Leftrightarrow ⇔ iff ⇔ implies ⇒ ldots … dots … cdots ⋯ land ∧
   lor ∨ neg ¬ lnot ¬ perp ⊥ angle ∠ therefore ∴ because ∵ sqrt √`,
);
const ABOVE = parseTable('0 ⁰ 1 ¹ 2 ² 3 ³ 4 ⁴ 5 ⁵ 6 ⁶ 7 ⁷ 8 ⁸ 9 ⁹ + ⁺ - ⁻ n ⁿ i ⁱ');
const BELOW = parseTable('0 ₀ 1 ₁ 2 ₂ 3 ₃ 4 ₄ 5 ₅ 6 ₆ 7 ₇ 8 ₈ 9 ₉ + ₊ - ₋');
/** TeX commands for spacing and size, which are omitted. */
const OMITTED_COMMANDS = new Set(['left', 'right', 'big', 'Big', 'bigl', 'bigr', 'displaystyle', 'limits']);

const COMMAND = /\\([A-Za-z]{1,40})|\\[,;:!]|([\^_])(?:\{([^{}\\]{1,20})\}|([A-Za-z\d]))/g;

/** Converts TeX to text: commands for one symbol become that symbol, everything else stays as written. */
export const toMathText = (tex: string): string =>
  tex.replace(COMMAND, (match: string, command?: string, kind?: string, several?: string, single?: string) => {
    if (kind !== undefined) return mapCharacters(several ?? single ?? '', kind === '^' ? ABOVE : BELOW) ?? match;
    if (command === undefined) return ' ';
    return OMITTED_COMMANDS.has(command) ? '' : (MATH_SIGNS.get(command) ?? match);
  });

function mapCharacters(text: string, signs: Map<string, string>): string | undefined {
  const characters = Array.from(text, (character) => signs.get(character));
  return characters.includes(undefined) ? undefined : characters.join('');
}

type ColorParts = [red: number, green: number, blue: number];

/** The named text colors, dark enough on white. */
const TEXTS: Record<string, ColorParts> = {
  red: [0.78, 0.13, 0.13],
  danger: [0.78, 0.13, 0.13],
  green: [0.1, 0.5, 0.25],
  success: [0.1, 0.5, 0.25],
  blue: [0.1, 0.35, 0.78],
  info: [0.1, 0.35, 0.78],
  primary: [0.1, 0.35, 0.78],
  orange: [0.78, 0.4, 0.02],
  warning: [0.72, 0.47, 0.02],
  yellow: [0.62, 0.5, 0.02],
  purple: [0.48, 0.2, 0.65],
  violet: [0.55, 0.25, 0.7],
  pink: [0.78, 0.2, 0.5],
  cyan: [0.02, 0.5, 0.58],
  tint: [0.35, 0.4, 0.48],
  gray: [0.42, 0.45, 0.5],
  grey: [0.42, 0.45, 0.5],
};
/** The share of a named color in the background of that name. The rest is white. */
const GROUND_SHARE = 0.22;

/** Returns a text color by name or `#rrggbb` in PDF notation, or undefined if unknown. */
const getTextColor = (css: string): string | undefined => formatColor(findNamedColor(css) ?? parseHexParts(css));

/**
 * Returns a background color in PDF notation, or undefined if unknown. Color names give a pale version of the color.
 */
function getBackgroundColor(css: string): string | undefined {
  const parts = findNamedColor(css);
  return formatColor(parts ? (parts.map((part) => 1 - (1 - part) * GROUND_SHARE) as ColorParts) : parseHexParts(css));
}

const findNamedColor = (css: string): ColorParts | undefined =>
  Object.hasOwn(TEXTS, css.toLowerCase()) ? TEXTS[css.toLowerCase()] : undefined;

function parseHexParts(css: string): ColorParts | undefined {
  const digits = /^#(?:([\da-f]{3})|([\da-f]{6}))(?:[\da-f]{1,2})?$/i.exec(css);
  const six = digits?.[2] ?? digits?.[1]?.replace(/./g, '$&$&');
  const [red, green, blue] = six?.match(/../g)?.map((pair) => Number.parseInt(pair, 16) / 255) ?? [];
  return red === undefined || green === undefined || blue === undefined ? undefined : [red, green, blue];
}

const formatColor = (parts: ColorParts | undefined): string | undefined =>
  parts?.map((part) => String(Number(part.toFixed(3)))).join(' ');

type Node = Block | Inline | TextNode;
type BlockData = Block['data'];

export const getText = (data: BlockData, key: string): string => {
  const value = data[key];
  return typeof value === 'string' ? value : '';
};

export const getUrl = (data: BlockData, key = 'ref'): string => {
  const reference = data[key];
  const url = typeof reference === 'object' && reference !== null && 'url' in reference ? reference.url : '';
  return typeof url === 'string' ? url : '';
};

/** Returns the image of a node. */
export function getFigure({ type, data }: Block | Inline): Figure {
  const figure = type === 'html' ? readHtml(getText(data, 'html')).find((part) => typeof part !== 'string') : undefined;
  return (
    figure ?? {
      source: getUrl(data),
      alt: getText(data, 'alt'),
      caption: removeTags(getText(data, 'caption')),
      width: getText(data, 'width'),
      isLineHigh: getText(data, 'size') === 'line',
    }
  );
}

/** Returns the plain text of nodes. */
export function getPlainText(nodes: Node[]): string {
  return nodes
    .map((node) => {
      if (node.object === 'text') return node.leaves.map(({ text }) => text).join('');
      return node.object === 'inline' && node.isVoid ? getVoidText(node) : getPlainText(node.nodes);
    })
    .join('');
}

function getVoidText({ type, data }: Inline): string {
  if (type === 'mention') return getMentionText(data);
  if (type === 'emoji') return EMOJI.get(getText(data, 'name')) ?? `:${getText(data, 'name')}:`;
  if (type === 'inline-math') return toMathText(getText(data, 'formula'));
  if (type === 'icon') return getIconText(getText(data, 'icon'));
  if (type === 'expression') return `{{ ${getText(data, 'expression')} }}`;
  if (type === 'inline-image') return getText(data, 'alt');
  return type === 'hard-break' || matchBlockTag(getText(data, 'html')) !== undefined ? ' ' : '';
}

/** Returns a user mention as written. Empty for a page mention, which is a link. */
function getMentionText({ ref }: BlockData): string {
  const user = typeof ref === 'object' && ref !== null && 'user' in ref ? ref.user : '';
  return typeof user === 'string' && user !== '' ? `@${user}` : '';
}

/** Returns the styled spans of a paragraph, heading or cell. */
export function getSpans(setting: Setting, nodes: Node[], baseStyle = setting.style): Span[] {
  const spans: Span[] = [];
  let [style, isBroken] = [baseStyle, false];
  for (const node of nodes) {
    const tag =
      node.object === 'inline' && node.type === 'html' ? matchBlockTag(getText(node.data, 'html')) : undefined;
    isBroken ||= tag !== undefined && spans.length > 0;
    if (tag !== undefined && !/^<li\b/i.test(tag[0])) continue;
    if (isBroken) spans.push({ text: '', style, isBreak: true });
    isBroken = false;
    if (tag !== undefined) spans.push({ text: '• ', style });
    if (node.object === 'inline' && node.type === 'html')
      style = toRaisedStyle(getText(node.data, 'html'), baseStyle) ?? style;
    if (node.object === 'text')
      for (const { text, marks } of node.leaves) {
        const markedStyle = marks.length === 0 ? style : applyMarks(style, marks);
        spans.push(
          ...(markedStyle.mono
            ? [{ text, style: markedStyle }]
            : splitAtLinks(setting, text.replace(/[\r\n]+/g, ' '), markedStyle)),
        );
      }
    else if (node.object === 'inline') spans.push(...inlineSpans(setting, node, style));
    else spans.push(...getSpans(setting, node.nodes, style));
  }
  return spans;
}

/** Returns the spans of a text, in which addresses are links. */
function splitAtLinks(setting: Setting, text: string, style: Style): Span[] {
  const bareAddresses = style.target === undefined ? findBareAddresses(text) : [];
  const links = bareAddresses.flatMap(({ start, end, url }, index): Span[] => {
    const target = setting.findTarget(url);
    const own = target === undefined ? style : { ...style, color: colors.link, target };
    return [
      { text: text.slice(bareAddresses[index - 1]?.end ?? 0, start), style },
      { text: text.slice(start, end), style: own },
    ];
  });
  return [...links, { text: text.slice(bareAddresses.at(-1)?.end ?? 0), style }].filter((span) => span.text !== '');
}

/** Returns the style for the content of a tag, or undefined if the tag changes nothing. */
function toRaisedStyle(html: string, style: Style): Style | undefined {
  const [, closes, name] = /^<(\/?)(su[pb])\b/i.exec(html) ?? [];
  if (name === undefined) return undefined;
  return closes ? style : { ...style, rise: name.toLowerCase() === 'sup' ? RISES.sup : RISES.sub };
}

/** The offsets above the baseline, relative to the font size. */
const RISES = { sup: 0.4, sub: -0.15 };

const toCodeStyle = (style: Style): Style => ({
  ...style,
  mono: true,
  hasBackground: true,
  italic: false,
  size: style.size * 0.88,
});

type LeafMarks = TextNode['leaves'][number]['marks'];

function applyMarks(style: Style, marks: LeafMarks): Style {
  const types = marks.map(({ type }) => type);
  let markedStyle = { ...style, ...getColors(marks) };
  if (types.includes('bold')) markedStyle.bold = true;
  if (types.includes('italic')) markedStyle.italic = true;
  if (types.includes('strikethrough')) markedStyle.strike = true;
  if (types.includes('superscript')) markedStyle.rise = RISES.sup;
  if (types.includes('subscript')) markedStyle.rise = RISES.sub;
  if (types.includes('code') || types.includes('keyboard')) markedStyle = toCodeStyle(markedStyle);
  return markedStyle;
}

/** Returns the colors of a mark. Unknown colors are ignored. */
function getColors(marks: LeafMarks): Pick<Style, 'paint'> & { color?: string } {
  const data = marks.find(({ type }) => type === 'color')?.data ?? {};
  const [color, paint] = [getTextColor(getText(data, 'text')), getBackgroundColor(getText(data, 'background'))];
  return { ...(color !== undefined && { color }), ...(paint !== undefined && { paint }) };
}

const toHtmlSpan = (part: string | Figure, style: Style): Span =>
  typeof part === 'string' ? { text: part, style } : { text: part.alt, style, figure: part };

const LINKS = new Set(['link', 'mention', 'button']);

function inlineSpans(setting: Setting, node: Inline, style: Style): Span[] {
  const { type, data } = node;
  const user = type === 'mention' ? getMentionText(data) : '';
  if (user !== '') return [{ text: user, style: { ...style, bold: true } }];
  if (LINKS.has(type)) {
    const url = getUrl(data);
    const target = setting.findTarget(url);
    const inside = node.nodes.length > 0 ? node.nodes : undefined;
    const own = target === undefined ? style : { ...style, color: colors.link, target };
    return inside === undefined ? [{ text: setting.getTitle(url) ?? url, style: own }] : getSpans(setting, inside, own);
  }
  if (type === 'hard-break') return [{ text: '', style, isBreak: true }];
  if (type === 'inline-math' || type === 'expression') return [{ text: getVoidText(node), style: toCodeStyle(style) }];
  if (type === 'annotation')
    return [{ text: getText(data, 'label'), style: { ...style, rise: 0.4, color: colors.link } }];
  if (type === 'icon') return [{ text: getVoidText(node), style: { ...style, color: colors.soft } }];
  if (type === 'html') return readHtml(getText(data, 'html')).map((part) => toHtmlSpan(part, style));
  if (type === 'inline-image') return [toHtmlSpan(getFigure(node), style)];
  return [{ text: getVoidText(node), style }];
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
