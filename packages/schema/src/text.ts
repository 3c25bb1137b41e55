import * as z from 'zod';

/**
 * Returns the schema of a single-line text of `min` to `max` Unicode code points. If `min` is at least 1, a blank text
 * is invalid too. `base` can transform the text before validation.
 */
export const createLineSchema = (min: number, max: number, base: z.ZodString = z.string()) =>
  base
    .min(min, `must have at least ${describeCount(min)}`)
    .max(max, `must have at most ${describeCount(max)}`)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'must be a single line without control characters')
    .refine((text) => text.isWellFormed(), 'must be valid Unicode')
    .refine((text) => min === 0 || text === '' || text.trim() !== '', 'must not be blank');

/** Returns the message for a value that is not an object with Markdown. */
export const describeMarkdownObject: z.core.$ZodErrorMap = ({ code, input }) => {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  if ((code !== 'invalid_type' && code !== 'invalid_union') || isObject || input === undefined) return undefined;
  return 'must be {"markdown": "..."}';
};

const units = { MiB: 1024 * 1024, MB: 1_000_000, KiB: 1024 };

/** Describes a size in the largest unit that divides it, such as "16 MiB". */
export function describeBytes(bytes: number): string {
  const [unit, size] = Object.entries(units).find((each) => bytes >= each[1] && bytes % each[1] === 0) ?? ['bytes', 1];
  return `${bytes / size} ${unit}`;
}

const describeCount = (characters: number): string => (characters === 1 ? '1 character' : `${characters} characters`);
