import * as z from 'zod';

/** The longest are couples with skin tones, as code points: 54 characters. */
const maxLength = 64;
const variation = /\ufe0f/g;
/** What is shown as text unless U+FE0F follows; a skin tone that follows does as well. */
const shownAsText = /(?!\p{Emoji_Presentation})\p{Emoji}(?!\p{Emoji_Modifier})/gu;
const codePoints = /^(?:u\+)?[0-9a-f]{2,6}(?:-[0-9a-f]{2,6})*$/i;

/** An emoji in the one form of it that is kept, from itself or its code points; undefined where it is none. */
function readEmoji(text: string): string | undefined {
  const given = codePoints.test(text) ? fromCodePoints(text.replace(/^u\+/i, '')) : text;
  const bare = given.replace(variation, '');
  return [bare, bare.replace(shownAsText, '$&\ufe0f')].find((form) => /^\p{RGI_Emoji}$/v.test(form));
}

const fromCodePoints = (text: string): string => {
  const points = text.split('-').map((point) => Number.parseInt(point, 16));
  return points.every((point) => point <= 0x10ffff) ? String.fromCodePoint(...points) : '';
};

/** An emoji: itself, or its code points in hexadecimal with `-` between them. It is kept and answered as itself. */
export const Emoji = z
  .string()
  .min(1)
  .max(maxLength)
  .transform((text, context) => {
    const emoji = readEmoji(text);
    if (emoji !== undefined) return emoji;
    context.issues.push({ code: 'custom', input: text, message: 'must be an emoji or its code points, such as 1f44d' });
    return z.NEVER;
  });
