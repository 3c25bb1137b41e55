import * as z from 'zod';

const codePoints = /^(?:u\+)?[0-9a-f]{2,6}(?:-[0-9a-f]{2,6})*$/i;
const variation = /\ufe0f/g;
const joiner = '\u200d';
/** What is shown as text unless U+FE0F follows; a skin tone that follows does as well. */
const shownAsText = /(?!\p{Emoji_Presentation})\p{Emoji}(?!\p{Emoji_Modifier})/gu;
/** What no joiner stands in front of: a skin tone, half of a flag, the mark of a keycap, the tags of a flag. */
const attached = /^(?:\p{Emoji_Modifier}|\p{Regional_Indicator}|\u20e3|[\u{e0020}-\u{e007f}])$/u;

const bare = (text: string): string => text.replace(/^u\+/i, '').toLowerCase();

function fromCodePoints(text: string): string {
  const points = bare(text)
    .split('-')
    .map((point) => Number.parseInt(point, 16));
  return points.every((point) => point <= 0x10_ff_ff) ? String.fromCodePoint(...points) : '';
}

/** Characters with a joiner wherever one may be. */
const joined = (characters: string): string =>
  [...characters.replaceAll(joiner, '')]
    .map((each, index) => (index === 0 || attached.test(each) ? each : `${joiner}${each}`))
    .join('');

/**
 * The characters of an emoji, in the one form that the same emoji always has, from itself or from its code points in
 * hexadecimal with `-` between them, of which U+FE0F and U+200D may be left out. Undefined where it is no emoji.
 */
export function charactersOfEmoji(text: string): string | undefined {
  const isCodes = codePoints.test(text);
  const plain = (isCodes ? fromCodePoints(text) : text).replace(variation, '');
  const forms = [plain, isCodes ? joined(plain) : plain].flatMap((form) => [
    form,
    form.replace(shownAsText, '$&\ufe0f'),
  ]);
  return (
    forms.find((form) => /^\p{RGI_Emoji}$/v.test(form)) ??
    (/^\p{Extended_Pictographic}$/u.test(plain) ? plain : undefined)
  );
}

const emoji = (kept: (text: string) => string | undefined) =>
  z
    .string()
    // The longest, two people with skin tones, has 54 characters as code points.
    .max(64)
    .transform((text, context) => {
      const value = kept(text);
      if (value !== undefined) return value;
      const message = 'must be an emoji or its code points, such as 1f44d';
      context.issues.push({ code: 'custom', input: text, message });
      return z.NEVER;
    });

/** The longest emoji that an object answers with. */
const maxAnswered = 50;

function asWritten(text: string): string | undefined {
  const characters = charactersOfEmoji(text);
  if (characters === undefined || !codePoints.test(text)) return characters && text;
  return text.length > maxAnswered ? characters : bare(text);
}

/** The emoji of an object: itself or its code points, kept and answered as it was written; an empty text is none. */
export const Emoji = emoji((text) => (text === '' ? '' : asWritten(text)));

/** Of a reaction: in either form it is the same one, kept and answered as its characters. */
export const ReactionEmoji = emoji(charactersOfEmoji);
