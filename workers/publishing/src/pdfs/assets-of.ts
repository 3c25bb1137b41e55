import type { PdfRecord } from '@octavo/db';
import { fetchOutside, OutsideError } from '@octavo/runtime';
import type { Assets, BookPage, FontName } from '@octavo/typeset';
import type { PublishingEnvironment } from '../environment.ts';
import type { FilledPage } from './read-book.ts';
import { ownValue } from './read-book.ts';

/** How much of other servers one PDF asks for at most. */
const maxOutsideImages = 100;
const outsideLimits = { milliseconds: 5_000, bytes: 5 * 1024 * 1024, accept: 'image/*' };

/** Bytes, and no promises: what one job waits for is not for another to wait for. */
const fonts = new Map<FontName, Uint8Array>();

/** Images that a PDF shows more than once are kept, up to this many bytes of them. */
const maxKeptBytes = 8 * 1024 * 1024;

type Image = Awaited<ReturnType<Assets['image']>>;

/** The fonts of the installation, the files of the revision, and images that other servers give to anybody. */
export function assetsOf(env: PublishingEnvironment, { space, revision }: PdfRecord): Assets {
  const kept = new Map<string, Image>();
  let keptBytes = 0;
  let fetched = 0;

  /** `from` names a file by its id, or is the address of an image. */
  async function read(from: { file: string } | { address: string }): Promise<Image> {
    if ('file' in from) {
      const { value } = await env.CONTENT.readBookFile({ space, revision, file: from.file });
      return value === null ? undefined : { bytes: value.bytes, type: value.contentType };
    }
    fetched += 1;
    return fetched > maxOutsideImages ? undefined : fetchImage(env, from.address);
  }

  return {
    font: (name) => readFont(env, name),
    async image(page: BookPage, source: string) {
      const file = ownValue((page as FilledPage).files, source);
      if (file === undefined && !/^https?:\/\//i.test(source)) return undefined;
      const key = file ?? source;
      if (kept.has(key)) return kept.get(key);
      const image = await read(file === undefined ? { address: source } : { file });
      const size = image?.bytes.length ?? 0;
      if (keptBytes + size > maxKeptBytes) return image;
      keptBytes += size;
      kept.set(key, image);
      return image;
    },
  };
}

async function fetchImage(env: PublishingEnvironment, address: string): Promise<Image> {
  try {
    const { bytes, headers } = await fetchOutside(env, address, outsideLimits);
    return { bytes, type: headers.get('content-type') ?? '' };
  } catch (error) {
    if (error instanceof OutsideError) return undefined;
    throw error;
  }
}

async function readFont({ FONTS }: PublishingEnvironment, name: FontName): Promise<Uint8Array> {
  const known = fonts.get(name);
  if (known !== undefined) return known;
  const response = await FONTS.fetch(`http://fonts/${name}.ttf`);
  if (!response.ok) throw new Error(`The font "${name}" cannot be read: ${response.status}.`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  fonts.set(name, bytes);
  return bytes;
}
