declare module 'omggif' {
  /** A GIF whose blocks are parsed at once and whose pixels are decoded on demand. */
  export class GifReader {
    constructor(bytes: Uint8Array);
    readonly width: number;
    readonly height: number;
    frameInfo(index: number): { x: number; y: number; width: number; height: number };
    /** Writes a frame into the pixels of the whole picture, four bytes each. */
    decodeAndBlitFrameRGBA(index: number, pixels: Uint8Array): void;
  }
}
