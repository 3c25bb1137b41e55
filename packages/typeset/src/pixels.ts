import type { Pdf, Reference } from './pdfkit.ts';

/** A decoded picture. */
export interface Pixels {
  width: number;
  height: number;
  /** Red, green, blue and alpha of each pixel, row by row from the top. */
  rgba: Uint8Array;
}

/** Embeds pixels in the PDF. */
export async function embedPixels(pdf: Pdf, { width, height, rgba }: Pixels): Promise<Reference> {
  const [color, alpha] = [new Deflated(), new Deflated()];
  let isOpaque = true;
  for (let y = 0; y < height; y += 1) {
    const [row, mask] = [new Uint8Array(width * 3), new Uint8Array(width)];
    for (let x = 0, from = y * width * 4; x < width; x += 1, from += 4) {
      row.set(rgba.subarray(from, from + 3), x * 3);
      mask[x] = rgba[from + 3] ?? 255;
      isOpaque &&= mask[x] === 255;
    }
    await color.write(row);
    await alpha.write(mask);
  }
  const mask = await alpha.end();
  const image = pdf.ref({
    Type: 'XObject',
    Subtype: 'Image',
    Width: width,
    Height: height,
    BitsPerComponent: 8,
    Filter: 'FlateDecode',
    ColorSpace: 'DeviceRGB',
    ...(!isOpaque && { SMask: createSoftMask(pdf, { width, height }, mask) }),
  });
  image.end(await color.end());
  return image;
}

export function createSoftMask(
  pdf: Pdf,
  { width, height }: { width: number; height: number },
  bytes: Uint8Array,
): Reference {
  const mask = pdf.ref({
    Type: 'XObject',
    Subtype: 'Image',
    Width: width,
    Height: height,
    BitsPerComponent: 8,
    Filter: 'FlateDecode',
    ColorSpace: 'DeviceGray',
  });
  mask.end(bytes);
  return mask;
}

/** Compresses bytes as they arrive. */
export class Deflated {
  readonly #stream = new CompressionStream('deflate');
  readonly #writer = this.#stream.writable.getWriter();
  readonly #result = new Response(this.#stream.readable as ReadableStream).arrayBuffer();

  write = (bytes: Uint8Array): Promise<void> => this.#writer.write(bytes.slice());

  async end(): Promise<Uint8Array> {
    await this.#writer.close();
    return new Uint8Array(await this.#result);
  }
}
