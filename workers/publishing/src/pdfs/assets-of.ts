import type { PdfRecord } from '@octavo/db';
import { fetchOutside, OutsideError } from '@octavo/runtime';
import type { PublishingEnvironment } from '../environment.ts';
import type { Assets, BookPage, FontName } from '../pdf/book.ts';
import type { FilledPage } from './read-book.ts';
import { ownValue } from './read-book.ts';

/** How much of other servers one PDF asks for at most. */
const maxOutsideImages = 100;
const outsideLimits = { milliseconds: 5_000, bytes: 5 * 1024 * 1024, accept: 'image/*' };

/** Bytes, and no promises: what one job waits for is not for another to wait for. */
const fonts = new Map<FontName, Uint8Array>();

/** The fonts of the installation, the files of the revision, and images that other servers give to anybody. */
export function assetsOf(env: PublishingEnvironment, { space, revision }: PdfRecord): Assets {
  let fetched = 0;
  async function outsideImage(address: string) {
    if (fetched >= maxOutsideImages) return undefined;
    fetched += 1;
    try {
      const { bytes, headers } = await fetchOutside(env, address, outsideLimits);
      return { bytes, type: headers.get('content-type') ?? '' };
    } catch (error) {
      if (error instanceof OutsideError) return undefined;
      throw error;
    }
  }
  return {
    font: (name) => readFont(env, name),
    async image(page: BookPage, source: string) {
      const file = ownValue((page as FilledPage).files, source);
      if (file === undefined) return /^https?:\/\//i.test(source) ? outsideImage(source) : undefined;
      const { value } = await env.CONTENT.readBookFile({ space, revision, file });
      return value === null ? undefined : { bytes: value.bytes, type: value.contentType };
    },
  };
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
