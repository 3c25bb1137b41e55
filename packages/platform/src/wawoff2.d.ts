declare module 'wawoff2' {
  /** Decompresses a WOFF2 font to a TrueType file. */
  export function decompress(bytes: Uint8Array): Promise<Uint8Array>;
}
