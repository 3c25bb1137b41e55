import decoder from '@jsquash/webp/codec/dec/webp_dec.wasm';
import decode, { init } from '@jsquash/webp/decode.js';
import type { PdfSource, PrintedImage, PrintedPage } from '@octavo/schema';
import type { Assets, BookPage, FontName, Pixels } from '@octavo/typeset';
import type { RenderEnvironment } from './environment.ts';

/** Limit for cached images, which pages may repeat. */
const maxCachedBytes = 8 * 1024 * 1024;

type Image = Awaited<ReturnType<Assets['image']>>;

/** Gives access to the fonts, and to the images of the source. */
export function createAssets(env: RenderEnvironment, source: PdfSource): Assets {
  const cachedImages = new Map<string, Image>();
  let cachedBytes = 0;

  async function readImage(printedImage: PrintedImage): Promise<Image> {
    const image = await source.readImage(printedImage);
    return image === null ? undefined : { bytes: image.bytes, type: image.contentType };
  }

  return {
    font: (name) => readFont(env, name),
    readWebp: decodeWebp,
    async image(page: BookPage, address: string) {
      const { files } = page as BookPage & Pick<PrintedPage, 'files'>;
      const file = Object.hasOwn(files, address) ? files[address] : undefined;
      if (file === undefined && !/^https?:\/\//i.test(address)) return undefined;
      const key = file ?? address;
      if (cachedImages.has(key)) return cachedImages.get(key);
      const image = await readImage(file === undefined ? { address } : { file });
      const size = image?.bytes.length ?? 0;
      if (cachedBytes + size > maxCachedBytes) return image;
      cachedBytes += size;
      cachedImages.set(key, image);
      return image;
    },
  };
}

async function readFont({ FONTS }: RenderEnvironment, name: FontName): Promise<Uint8Array> {
  const response = await FONTS.fetch(`http://fonts/${name}.ttf`);
  if (!response.ok) throw new Error(`The font "${name}" cannot be read: ${response.status}.`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Decodes a WebP image. Each call uses a separate decoder, so that its memory is freed. */
async function decodeWebp(bytes: Uint8Array): Promise<Pixels> {
  await init(decoder);
  const { width, height, data } = await decode(bytes.slice().buffer);
  return { width, height, rgba: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
}
