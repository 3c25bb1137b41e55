declare module 'markdown-it-emoji/lib/data/full.mjs' {
  /** Each emoji by its names. */
  const emoji: Record<string, string>;
  export default emoji;
}
