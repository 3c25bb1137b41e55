import type { Assets, FontName, FontScript } from './book.ts';
import { Face } from './face.ts';
import type { Paper, WorkPauses } from './paper.ts';

/** The Unicode names of scripts in use, by which missing characters are reported. */
const NAMES =
  `Adlam Armenian Balinese Bengali Bopomofo Canadian_Aboriginal Cham Cherokee Devanagari Ethiopic Georgian Gujarati
   Gurmukhi Javanese Kannada Kayah_Li Khmer Lao Lepcha Limbu Lisu Malayalam Mandaic Meetei_Mayek Mongolian Myanmar
   New_Tai_Lue Nko Ol_Chiki Oriya Samaritan Saurashtra Sinhala Sundanese Syriac Tagalog Tai_Le Tai_Tham Tai_Viet Tamil
   Telugu Thaana Tibetan Tifinagh Vai Yi Arabic Hebrew Thai Han Hangul Hiragana Katakana Latin Greek Cyrillic`.split(
    /\s+/,
  );

let patterns: [string, RegExp][] | undefined;

/**
 * Returns the English name of a character's script, or the number of its block of 256 for symbols and rare characters.
 */
function getScript(character: string): string {
  patterns ??= NAMES.map((name) => [name.replaceAll('_', ' '), new RegExp(`\\p{Script=${name}}`, 'u')]);
  const match = patterns.find(([, pattern]) => pattern.test(character));
  const block = ((character.codePointAt(0) ?? 0) >> 8).toString(16).toUpperCase().padStart(2, '0');
  return match?.[0] ?? `U+${block}00 to U+${block}FF`;
}

/** The character that represents an image. */
export const PICTURE = '\uFFFC';

/** A unit that is never split: an emoji of several characters, or a letter with its marks. */
const CLUSTER =
  /\p{RI}\p{RI}|[#*0-9]\uFE0F?\u20E3|\p{Extended_Pictographic}(?:\p{EMod}|\uFE0F)?(?:[\u{E0020}-\u{E007F}]+)?(?:\u200D\p{Extended_Pictographic}(?:\p{EMod}|\uFE0F)?)*|[\s\S]\p{M}*/gu;
/** The maximum number of marks in a cluster. Further marks are typeset separately. */
const MAX_CLUSTER = 32;

const isPlain = (text: string): boolean => /^[\u0020-\u02FF]*$/.test(text);

export function getClusters(text: string): string[] {
  if (isPlain(text)) return text.split('');
  return (text.match(CLUSTER) ?? []).flatMap((cluster) =>
    cluster.length <= MAX_CLUSTER ? [cluster] : Array.from(cluster),
  );
}

const isEmoji = (cluster: string): boolean =>
  /\p{Emoji_Presentation}|\uFE0F|\u20E3/u.test(cluster) && !/^\p{M}/u.test(cluster);

const IDEOGRAPHIC =
  '[\\u2E80-\\u9FFF\\uAC00-\\uD7AF\\uF900-\\uFAFF\\uFE30-\\uFE4F\\uFF00-\\uFFEF\\u{20000}-\\u{3FFFF}]';
const IDEOGRAPHIC_FIRST = new RegExp(`^${IDEOGRAPHIC}`, 'u');
const IDEOGRAPHIC_LAST = new RegExp(`${IDEOGRAPHIC}$`, 'u');
const NOT_FIRST =
  /^[、。，．・：；？！）」』】〕〉》〗”’ー々〜ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ!),.:;?\]}％]/u;
const NOT_LAST = /[（「『【〔〈《〖“‘([{]$/u;

/** Whether a line may break between two parts of text. */
export function mayBreak(before: string, after: string): boolean {
  if (/^[ \u00A0\u2060]/.test(after) || /[\u00A0\u2060]$/.test(before)) return false;
  if (/[ \u200B\u3000]$/.test(before)) return true;
  if (before === PICTURE || after === PICTURE) return !NOT_FIRST.test(after) && !NOT_LAST.test(before);
  if (/[\p{L}\p{N}][-\u2010\u2012-\u2014]$/u.test(before)) return /^\p{L}/u.test(after);
  if (IDEOGRAPHIC_LAST.test(before) || IDEOGRAPHIC_FIRST.test(after))
    return !NOT_FIRST.test(after) && !NOT_LAST.test(before);
  return false;
}

/** Whether a long word without spaces, such as a URL, is best broken after this character. */
export const isJoint = (cluster: string): boolean => /^[-/.,:;?&=_#|\\)]$/.test(cluster);

/** Returns text that can be typeset: without control characters and lone surrogates, in Unicode composed form. */
export function removeUnsupported(text: string): string {
  if (/^[\u0020-\u007E]*$/.test(text)) return text;
  return text
    .replace(/\t/g, '    ')
    .replace(/[\r\n\u2028\u2029]+/g, ' ')
    .replace(/[\p{Cc}\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\u00AD\uFFF9-\uFFFB]/gu, '')
    .toWellFormed()
    .normalize('NFC');
}

/** The style of a letter, used to choose a font of its family if available. */
interface Letter {
  bold?: boolean;
  italic?: boolean;
  mono?: boolean;
}

/** A part of a text in one font. */
interface Run {
  face: Face;
  text: string;
}

/** Characters that no font has, and their replacements. */
const STANDS_FOR = new Map([
  ['\u2011', '\u2010'],
  ['\u2303', '^'],
  ['\u238B', 'Esc'],
  ['\u2028', ' '],
]);
const INVISIBLE_CHARACTERS = /^(?:\u200B|\u200C|\u200D|[\uFE00-\uFE0F]|[\u{E0000}-\u{E0FFF}])+$/u;
/** Matches keycap emoji. The color font has only their parts. */
const KEYCAP = /\u20E3/;
const KANA = /[\u3041-\u30FF]/;
const HANGUL = /[\u1100-\u11FF\u3131-\u318E\uAC00-\uD7AF]/;
/** Matches letters of scripts that none of the large fonts has, so that these fonts are not loaded only to check. */
const FOREIGN =
  /(?!\p{scx=Han}|\p{scx=Hira}|\p{scx=Kana}|\p{scx=Hang}|\p{scx=Bopo}|\p{scx=Latn}|\p{scx=Grek}|\p{scx=Cyrl}|\p{scx=Zyyy})[\p{L}\p{M}]/u;
const MAX_MISSING = 20;
const ASIAN: FontName[] = ['sc', 'jp', 'kr'];

/** Finds a font for each character and loads it when it is first needed. */
export class Fonts {
  readonly #paper: Paper;
  readonly #assets: Assets;
  readonly #faces = new Map<FontName, Face>();
  /**
   * The font of a cluster, by font order and cluster. If no font has the cluster, the value is undefined, and the code
   * points of the cluster are typeset instead.
   */
  #fontsByCluster = new Map<string, FontName | undefined>();
  #asian = ASIAN;
  /** The scripts of letters that were typeset as code points, up to a limit. */
  readonly missing = new Set<string>();

  constructor(paper: Paper, assets: Assets) {
    this.#paper = paper;
    this.#assets = assets;
  }

  get turns(): WorkPauses {
    return this.#paper.turns;
  }

  /** Chooses the regional shapes of Chinese characters according to the language and the rest of the text. */
  chooseAsianFonts(text: string, language = ''): void {
    const first =
      KANA.test(text) || language.startsWith('ja')
        ? 'jp'
        : HANGUL.test(text) || language.startsWith('ko')
          ? 'kr'
          : 'sc';
    if (first === this.#asian[0]) return;
    this.#asian = [first, ...ASIAN.filter((name) => name !== first)];
    this.#fontsByCluster.clear();
  }

  /** Loads the fonts of a text. Must be called before the text is typeset. */
  async prepare(text: string, letter: Letter): Promise<void> {
    const fontName = getTextFont(letter);
    await this.#load(fontName);
    if (/^[\u0020-\u007E]*$/.test(text)) return;
    for (const cluster of new Set(getClusters(text))) {
      const key = fontName + cluster;
      if (this.#fontsByCluster.has(key)) continue;
      const name = await this.#find(cluster, letter);
      this.#fontsByCluster.set(key, name);
      if (name === undefined) this.#recordMissing(cluster, fontName);
    }
    if (this.#fontsByCluster.size > 50_000) this.#fontsByCluster = new Map([...this.#fontsByCluster].slice(-25_000));
  }

  /** Splits a prepared text into runs. */
  splitIntoRuns(text: string, letter: Letter): Run[] {
    const fontName = getTextFont(letter);
    const ownFace = this.getFace(fontName);
    if (/^[\u0020-\u007E]*$/.test(text)) return [{ face: ownFace, text }];
    const runs: Run[] = [];
    for (const cluster of getClusters(text)) {
      const name = this.#fontsByCluster.get(fontName + cluster);
      const glyphs = name === undefined ? toCodePoints(cluster, ownFace) : toSubstitute(cluster, this.getFace(name));
      const face = name === undefined ? ownFace : this.getFace(name);
      const last = runs.at(-1);
      if (name === undefined && last?.face.isShaped && INVISIBLE_CHARACTERS.test(cluster)) last.text += cluster;
      else if (last?.face === face) last.text += glyphs;
      else if (glyphs !== '') runs.push({ face, text: glyphs });
    }
    return runs;
  }

  /** Returns the font that has most characters of a prepared text. */
  findBestFont(text: string): FontName {
    const counts = new Map<FontName, number>();
    for (const cluster of getClusters(text)) {
      const name = this.#fontsByCluster.get(`sans${cluster}`);
      if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    const asian = this.#asian.find((name) => counts.has(name));
    return asian ?? 'sans';
  }

  getFace(name: FontName): Face {
    const face = this.#faces.get(name);
    if (face === undefined) throw new Error(`The font ${name} is not loaded.`);
    return face;
  }

  #recordMissing(cluster: string, fontName: FontName): void {
    for (const character of cluster)
      if (
        this.missing.size < MAX_MISSING &&
        !INVISIBLE_CHARACTERS.test(character) &&
        !this.getFace(fontName).hasGlyphs(character)
      )
        this.missing.add(getScript(character));
  }

  #orderAsianFonts(cluster: string): FontName[] {
    const region = HANGUL.test(cluster) ? 'kr' : KANA.test(cluster) ? 'jp' : undefined;
    return region === undefined ? this.#asian : [region, ...this.#asian.filter((name) => name !== region)];
  }

  async #load(name: FontName): Promise<Face> {
    const cachedFace = this.#faces.get(name);
    if (cachedFace !== undefined) return cachedFace;
    const face = new Face(this.#paper.pdf, name, await this.#assets.font(name));
    this.#faces.set(name, face);
    return face;
  }

  async #find(cluster: string, letter: Letter): Promise<FontName | undefined> {
    const fontName = getTextFont(letter);
    if (INVISIBLE_CHARACTERS.test(cluster)) return undefined;
    const text: FontName[] = [
      fontName,
      getTextFont({ ...letter, mono: false }),
      getTextFont({ ...letter, mono: true }),
    ];
    const order: FontName[] = isEmoji(cluster)
      ? [...(KEYCAP.test(cluster) ? [] : ['emoji-color' as const]), 'emoji', ...text, ...this.#asian]
      : [
          ...text,
          ...getScriptFonts(cluster, letter),
          ...(FOREIGN.test(cluster)
            ? []
            : [...getSymbolFonts(cluster), ...this.#orderAsianFonts(cluster), 'emoji' as const]),
        ];
    for (const name of order) {
      const face = await this.#load(name);
      if (face.hasGlyphs(cluster) || (name !== fontName && face.hasGlyphs(toSubstitute(cluster, face)))) return name;
    }
    return undefined;
  }
}

/** Symbols that text fonts may lack. Chinese, Japanese and Korean symbols are in their own fonts. */
const SYMBOL = /[\p{S}\u{1D400}-\u{1D7FF}\u2300-\u23FF\u2460-\u27BF\u27E6-\u27EF]/u;

const getSymbolFonts = (cluster: string): FontName[] =>
  SYMBOL.test(cluster) && !/[\u3000-\u33FF\uFF00-\uFFEF]/u.test(cluster) ? ['symbols', 'math'] : [];

const SCRIPTS: [RegExp, FontScript][] = [
  [/\p{scx=Arab}/u, 'arabic'],
  [/\p{scx=Hebr}/u, 'hebrew'],
  [/\p{scx=Thai}/u, 'thai'],
  [/\p{scx=Armn}/u, 'armenian'],
  [/\p{scx=Beng}/u, 'bengali'],
  [/\p{scx=Ethi}/u, 'ethiopic'],
  [/\p{scx=Geor}/u, 'georgian'],
  [/\p{scx=Gujr}/u, 'gujarati'],
  [/\p{scx=Guru}/u, 'gurmukhi'],
  [/\p{scx=Knda}/u, 'kannada'],
  [/\p{scx=Khmr}/u, 'khmer'],
  [/\p{scx=Laoo}/u, 'lao'],
  [/\p{scx=Mlym}/u, 'malayalam'],
  [/\p{scx=Mymr}/u, 'myanmar'],
  [/\p{scx=Orya}/u, 'oriya'],
  [/\p{scx=Sinh}/u, 'sinhala'],
  [/\p{scx=Taml}/u, 'tamil'],
  [/\p{scx=Telu}/u, 'telugu'],
];

/** Returns the fonts of scripts with a font of their own. */
const getScriptFonts = (cluster: string, { bold }: Letter): FontName[] =>
  SCRIPTS.flatMap(([script, name]) => (script.test(cluster) ? [bold ? (`${name}-bold` as const) : name] : []));

function getTextFont({ bold, italic, mono }: Letter): FontName {
  if (mono) return bold ? 'mono-bold' : 'mono';
  if (bold) return italic ? 'sans-bold-italic' : 'sans-bold';
  return italic ? 'sans-italic' : 'sans';
}

const toSubstitute = (cluster: string, face: Face): string =>
  face.hasGlyphs(cluster) ? cluster : (STANDS_FOR.get(cluster) ?? cluster);

/** Returns a text that shows the code points of a cluster that no font has. */
function toCodePoints(cluster: string, face: Face): string {
  if (INVISIBLE_CHARACTERS.test(cluster)) return '';
  return Array.from(cluster, (character) => {
    if (face.hasGlyphs(character) || INVISIBLE_CHARACTERS.test(character))
      return face.hasGlyphs(character) ? character : '';
    return `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;
  }).join('');
}
