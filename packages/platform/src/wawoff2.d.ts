declare module 'wawoff2' {
  /** The font that is packed as WOFF2, as a TrueType file. */
  export function decompress(bytes: Uint8Array): Promise<Uint8Array>;
}
