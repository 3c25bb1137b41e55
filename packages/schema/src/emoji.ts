import * as z from 'zod';

const codePoints = /^(?:u\+)?[0-9a-f]{2,6}(?:-[0-9a-f]{2,6})*$/i;
const variation = /\ufe0f/g;
const joiner = '\u200d';
/** Characters that are displayed as text unless U+FE0F or a skin tone follows. */
const shownAsText = /(?!\p{Emoji_Presentation})\p{Emoji}(?!\p{Emoji_Modifier})/gu;
/**
 * Characters without a zero-width joiner before them: skin tones, halves of flags, the keycap mark, and tags of flags.
 */
const attached = /^(?:\p{Emoji_Modifier}|\p{Regional_Indicator}|\u20e3|[\u{e0020}-\u{e007f}])$/u;

const normalizeCodePoints = (text: string): string => text.replace(/^u\+/i, '').toLowerCase();

function parseCodePoints(text: string): string {
  const points = normalizeCodePoints(text)
    .split('-')
    .map((point) => Number.parseInt(point, 16));
  return points.every((point) => point <= 0x10_ff_ff) ? String.fromCodePoint(...points) : '';
}

/** Returns the characters with a joiner at every possible position. */
const joinCodePoints = (characters: string): string =>
  [...characters.replaceAll(joiner, '')]
    .map((each, index) => (index === 0 || attached.test(each) ? each : `${joiner}${each}`))
    .join('');

/**
 * Returns the canonical characters of an emoji, or undefined if the text is not an emoji. The text is the emoji itself
 * or its code points in hexadecimal, separated by `-`, in which U+FE0F and U+200D may be omitted.
 */
export function toEmojiCharacters(text: string): string | undefined {
  const isCodes = codePoints.test(text);
  const plain = (isCodes ? parseCodePoints(text) : text).replace(variation, '');
  const forms = [plain, isCodes ? joinCodePoints(plain) : plain].flatMap((form) => [
    form,
    form.replace(shownAsText, '$&\ufe0f'),
  ]);
  return (
    forms.find((form) => /^\p{RGI_Emoji}$/v.test(form)) ??
    (/^\p{Extended_Pictographic}$/u.test(plain) ? plain : undefined)
  );
}

const createEmojiSchema = (replace: (text: string) => string | undefined) =>
  z
    .string()
    // The longest emoji, two people with skin tones, has 54 characters as code points.
    .max(64)
    .transform((text, context) => {
      const value = replace(text);
      if (value !== undefined) return value;
      const message = 'must be an emoji or its code points, such as 1f44d';
      context.issues.push({ code: 'custom', input: text, message });
      return z.NEVER;
    });

/** Maximum length of an object's emoji in responses. */
const maxAnswered = 50;

function keepSpelling(text: string): string | undefined {
  const characters = toEmojiCharacters(text);
  if (characters === undefined || !codePoints.test(text)) return characters && text;
  return text.length > maxAnswered ? characters : normalizeCodePoints(text);
}

/**
 * The emoji of an object, as characters or code points. It is stored and returned as the client wrote it; an empty text
 * means no emoji.
 */
export const Emoji = createEmojiSchema((text) => (text === '' ? '' : keepSpelling(text)));

/** The emoji of a reaction, as characters or code points. It is stored and returned as characters. */
export const ReactionEmoji = createEmojiSchema(toEmojiCharacters);
