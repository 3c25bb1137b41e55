import * as z from 'zod';

/**
 * Matches URLs without characters that are never valid in URLs. These would have to be escaped in headers and HTML, and
 * forgetting to do so would be a vulnerability.
 */
const neverInAddresses = /^[^\p{Cc}\p{Zl}\p{Zp}"<>`\\]*$/u;

/** A stored URL that readers follow or load. */
export const webAddress = z
  .url({ protocol: /^https?$/, hostname: /./ })
  .max(2048)
  .regex(
    neverInAddresses,
    'must not contain quotes, angle brackets, backslashes or control characters: URL-encode them',
  );
