/** Stands for the decoder of WOFF2 fonts in fontkit (see wrangler.toml), which brings a dictionary of 90 KB: ours are TrueType. */
export default function decompress(): never {
  throw new Error('WOFF2 fonts are not supported.');
}
