import * as z from 'zod';

/** What stands in no valid address: it would have to be escaped in headers and in HTML, and whoever forgets it is lost. */
const neverInAddresses = /^[^\p{Cc}\p{Zl}\p{Zp}"<>`\\]*$/u;

/** An address of the web that is stored, and led to or loaded by whoever reads it. */
export const webAddress = z
  .url({ protocol: /^https?$/, hostname: /./ })
  .max(2048)
  .regex(neverInAddresses, 'must hold no quotes, angle brackets, backslashes or control characters: encode them');
