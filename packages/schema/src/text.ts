import * as z from 'zod';

/**
 * Returns the schema of a single-line text of `min` to `max` Unicode code points. If it must not be empty, it must not
 * be blank either. `base` can transform the text before validation.
 */
export const singleLine = (min: number, max: number, base: z.ZodString = z.string()) =>
  base
    .min(min, `must have at least ${describeCount(min)}`)
    .max(max, `must have at most ${describeCount(max)}`)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'must be a single line without control characters')
    .refine((text) => text.isWellFormed(), 'must be valid Unicode')
    .refine((text) => min === 0 || text === '' || text.trim() !== '', 'must not be blank');

const describeCount = (characters: number): string => (characters === 1 ? '1 character' : `${characters} characters`);
