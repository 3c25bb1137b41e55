export interface RenderEnvironment {
  /** The fonts of PDFs: `<name>.ttf`. */
  FONTS: Fetcher;
}
