import { gzipSync } from 'node:zlib';

const toBytes = (text: string) => new TextEncoder().encode(text);
/** Encodes the text with `byte` in place of its question mark. */
const replaceByte = (text: string, byte: number) => toBytes(text).map((each) => (each === 0x3f ? byte : each));
const createTypeHeader = (value: string) => ({ 'content-type': value });

/** An operation with a request body. */
export interface Target {
  name: string;
  path(): string;
  method: string;
  /** Returns a valid body that contains `more`. */
  body(more: string): string;
  limit: number;
}

/** A body with its headers, and the expected response status. */
type Sent = { body: string | Uint8Array<ArrayBuffer>; headers?: Record<string, string>; status: number };

/** Bodies with exactly one fault each, which are otherwise valid. */
export const wrongBodies: Record<string, (target: Pick<Target, 'body' | 'limit'>) => Sent> = {
  'no Content-Type': ({ body }) => ({ body: toBytes(body('')), headers: createTypeHeader(''), status: 415 }),
  'text/plain': ({ body }) => ({ body: body(''), headers: createTypeHeader('text/plain;charset=UTF-8'), status: 415 }),
  'a form': ({ body }) => ({
    body: body(''),
    headers: createTypeHeader('application/x-www-form-urlencoded'),
    status: 415,
  }),
  'a type that only starts like JSON': ({ body }) => ({
    body: body(''),
    headers: createTypeHeader('application/jsonp'),
    status: 415,
  }),
  'a body compressed with gzip': ({ body }) => ({
    body: gzipSync(body('')),
    headers: { ...createTypeHeader('application/json'), 'content-encoding': 'gzip' },
    status: 415,
  }),
  'a duplicate key': ({ body }) => ({ body: body(',"extra":1,"extra":2'), status: 400 }),
  'a duplicate key behind an escape': ({ body }) => ({ body: body(',"extra":1,"e\\u0078tra":2'), status: 400 }),
  'a duplicate key deep inside': ({ body }) => ({ body: body(',"x":[{"y":{"a":1,"b":[],"a":2}}]'), status: 400 }),
  __proto__: ({ body }) => ({ body: body(',"__proto__":{"admin":true}'), status: 400 }),
  '__proto__ behind an escape': ({ body }) => ({ body: body(',"\\u005f_proto__":{}'), status: 400 }),
  'a BOM': ({ body }) => ({ body: `\ufeff${body('')}`, status: 400 }),
  'a lone surrogate': ({ body }) => ({ body: body(',"x":"\\ud800"'), status: 400 }),
  'a lone surrogate in a key': ({ body }) => ({ body: body(',"\\udc00":1'), status: 400 }),
  'bytes that are not UTF-8': ({ body }) => ({ body: replaceByte(body(',"x":"?"'), 0xff), status: 400 }),
  'arrays 100,000 deep': ({ body }) => ({ body: body(`,"x":${'['.repeat(1e5)}${']'.repeat(1e5)}`), status: 400 }),
  'objects 100,000 deep': ({ body }) => ({ body: body(`,"x":${'{"a":'.repeat(1e5)}1${'}'.repeat(1e5)}`), status: 400 }),
  'a comma too many': ({ body }) => ({ body: body(','), status: 400 }),
  'a comment': ({ body }) => ({ body: `${body('')} // x`, status: 400 }),
  'two values': ({ body }) => ({ body: `${body('')}${body('')}`, status: 400 }),
  NaN: ({ body }) => ({ body: body(',"x":NaN'), status: 400 }),
  'a raw line break in a string': ({ body }) => ({ body: body(',"x":"a\nb"'), status: 400 }),
  'the end missing': ({ body }) => ({ body: body('').slice(0, -1), status: 400 }),
  'one byte over the limit': ({ body, limit }) => ({ body: body('').padEnd(limit + 1), status: 413 }),
};
