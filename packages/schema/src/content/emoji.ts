import * as z from 'zod';

const emojiPattern = /^(?:\p{RGI_Emoji}|\p{Extended_Pictographic})?$/v;

/** One emoji, or nothing. */
export const Emoji = z
  .string()
  .max(50)
  .refine((text) => emojiPattern.test(text), 'must be one emoji');

/** Code points in hexadecimal, as clients of the API family write an emoji too. */
const codePointsPattern = /^[0-9a-f]{2,6}(?:-[0-9a-f]{2,6}){0,7}$/i;

/** The emoji of a page: itself or its code points, as for reactions. */
export const PageEmoji = z
  .string()
  .max(50)
  .refine((text) => emojiPattern.test(charactersOf(text)), 'must be one emoji');

function charactersOf(text: string): string {
  if (!codePointsPattern.test(text)) return text;
  const points = text.split('-').map((point) => Number.parseInt(point, 16));
  return points.every((point) => point <= 0x10_ff_ff) ? String.fromCodePoint(...points) : text;
}
