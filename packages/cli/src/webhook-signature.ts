import { createHmac, timingSafeEqual } from 'node:crypto';

const longestDifferenceSeconds = 300;

/** Why a signature, as webhooks have it, is not one of this body by this secret and of now; undefined where it is. */
export function faultOfSignature(signature: string, body: Uint8Array, secret: string, now: number): string | undefined {
  const parts = signature.split(',').map((part) => part.split('='));
  const valuesOf = (name: string) => parts.flatMap(([key, value = '']) => (key === name ? [value] : []));
  const [time = ''] = valuesOf('t');
  if (!/^\d+$/.test(time)) return 'there is none';
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  const isRight = valuesOf('v1').some((value) => {
    const given = Buffer.from(value, 'hex');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isRight) return 'it is wrong';
  return Math.abs(now / 1000 - Number(time)) > longestDifferenceSeconds ? 'it is of another time' : undefined;
}
