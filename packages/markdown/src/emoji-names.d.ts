declare module 'markdown-it-emoji/lib/data/full.mjs' {
  /** Emoji by name. */
  const emoji: Record<string, string>;
  export default emoji;
}
