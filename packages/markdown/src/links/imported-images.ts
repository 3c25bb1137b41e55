const IMPORT =
  /^[ \t]*import[ \t]+([\w$]{1,100})[ \t]+from[ \t]*(["'])([^"'\n{}\\]{1,500}\.(?:png|jpe?g|gif|svg|webp|avif|ico))\2/gim;

/** An image that a script imports: under which name, and where its address stands in the script. */
export interface ImportedImage {
  name: string;
  address: string;
  start: number;
}

/** The images that a script of mdx imports, in order. */
export const importedImages = (script: string): ImportedImage[] =>
  [...script.matchAll(IMPORT)].map(({ 0: whole, 1: name = '', 3: address = '', index }) => ({
    name,
    address,
    start: index + whole.length - address.length - 1,
  }));
