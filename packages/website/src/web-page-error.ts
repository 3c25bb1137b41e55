/** A page that cannot be read: too deep, or too much to work on. */
export class WebPageError extends Error {
  override readonly name = 'WebPageError';
}
