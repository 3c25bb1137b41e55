/** What is never taken apart: an emoji of several characters, or a letter with its marks. */
const CLUSTER =
  /\p{RI}\p{RI}|[#*0-9]\uFE0F?\u20E3|\p{Extended_Pictographic}(?:\p{EMod}|\uFE0F)?(?:[\u{E0020}-\u{E007F}]+)?(?:\u200D\p{Extended_Pictographic}(?:\p{EMod}|\uFE0F)?)*|[\s\S]\p{M}*/gu;
/** Marks of which one letter may carry many; more are set apart. */
const MAX_CLUSTER = 32;

const isPlain = (text: string): boolean => /^[\u0020-\u02FF]*$/.test(text);

export function clustersOf(text: string): string[] {
  if (isPlain(text)) return text.split('');
  return (text.match(CLUSTER) ?? []).flatMap((cluster) =>
    cluster.length <= MAX_CLUSTER ? [cluster] : Array.from(cluster),
  );
}

/** Whether a cluster is to be shown as a picture. */
export const isEmoji = (cluster: string): boolean =>
  /\p{Emoji_Presentation}|\uFE0F|\u20E3/u.test(cluster) && !/^\p{M}/u.test(cluster);

const IDEOGRAPHIC =
  '[\\u2E80-\\u9FFF\\uAC00-\\uD7AF\\uF900-\\uFAFF\\uFE30-\\uFE4F\\uFF00-\\uFFEF\\u{20000}-\\u{3FFFF}]';
const IDEOGRAPHIC_FIRST = new RegExp(`^${IDEOGRAPHIC}`, 'u');
const IDEOGRAPHIC_LAST = new RegExp(`${IDEOGRAPHIC}$`, 'u');
const NOT_FIRST =
  /^[、。，．・：；？！）」』】〕〉》〗”’ー々〜ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ!),.:;?\]}％]/u;
const NOT_LAST = /[（「『【〔〈《〖“‘([{]$/u;

/** Whether a line may end between two pieces of text. */
export function mayBreak(before: string, after: string): boolean {
  if (/^[ \u00A0\u2060]/.test(after) || /[\u00A0\u2060]$/.test(before)) return false;
  if (/[ \u200B\u3000]$/.test(before)) return true;
  if (/[\p{L}\p{N}][-\u2010\u2012-\u2014]$/u.test(before)) return /^\p{L}/u.test(after);
  if (IDEOGRAPHIC_LAST.test(before) || IDEOGRAPHIC_FIRST.test(after))
    return !NOT_FIRST.test(after) && !NOT_LAST.test(before);
  return false;
}

/** Where a long word without spaces, as an address, is best broken. */
export const isJoint = (cluster: string): boolean => /^[-/.,:;?&=_#|\\)]$/.test(cluster);

/** A text that can be set: no control characters, no halves of characters, composed as far as Unicode composes. */
export function settable(text: string): string {
  if (/^[\u0020-\u007E]*$/.test(text)) return text;
  return text
    .replace(/\t/g, '    ')
    .replace(/[\r\n\u2028\u2029]+/g, ' ')
    .replace(/[\p{Cc}\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\u00AD\uFFF9-\uFFFB]/gu, '')
    .toWellFormed()
    .normalize('NFC');
}
