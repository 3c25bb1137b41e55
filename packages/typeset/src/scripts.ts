/** Scripts that are written today and that no font is at hand for, as Unicode names them. */
const NAMES =
  `Adlam Armenian Balinese Bengali Bopomofo Canadian_Aboriginal Cham Cherokee Devanagari Ethiopic Georgian Gujarati
   Gurmukhi Javanese Kannada Kayah_Li Khmer Lao Lepcha Limbu Lisu Malayalam Mandaic Meetei_Mayek Mongolian Myanmar
   New_Tai_Lue Nko Ol_Chiki Oriya Samaritan Saurashtra Sinhala Sundanese Syriac Tagalog Tai_Le Tai_Tham Tai_Viet Tamil
   Telugu Thaana Tibetan Tifinagh Vai Yi Arabic Hebrew Thai Han Hangul Hiragana Katakana Latin Greek Cyrillic`.split(
    /\s+/,
  );

let patterns: [string, RegExp][] | undefined;

/** The script of a character by its English name; of signs and of what is rare, the block of 256 that it stands in. */
export function scriptOf(character: string): string {
  patterns ??= NAMES.map((name) => [name.replaceAll('_', ' '), new RegExp(`\\p{Script=${name}}`, 'u')]);
  const found = patterns.find(([, pattern]) => pattern.test(character));
  const block = ((character.codePointAt(0) ?? 0) >> 8).toString(16).toUpperCase().padStart(2, '0');
  return found?.[0] ?? `U+${block}00 to U+${block}FF`;
}
