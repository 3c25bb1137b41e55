import decoder from '@jsquash/webp/codec/dec/webp_dec.wasm';
import decode, { init } from '@jsquash/webp/decode.js';
import type { Pixels } from '@octavo/typeset';

/** Unpacks a WebP. Each has a decoder of its own: what that has taken of memory is free again. */
export async function unpackWebp(bytes: Uint8Array): Promise<Pixels> {
  await init(decoder);
  const { width, height, data } = await decode(bytes.slice().buffer);
  return { width, height, rgba: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
}
