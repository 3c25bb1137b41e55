import * as z from 'zod';
import { hostName, neverInAddresses } from './web-origin.ts';

/** A stored URL that readers follow or load. */
export const webAddress = z
  .string()
  .max(2048)
  .regex(neverInAddresses, {
    error: 'must not contain spaces, line breaks, quotes, angle brackets or backslashes: URL-encode them',
    abort: true,
  })
  .check(z.url({ protocol: /^https?$/, hostname: hostName }));

/** Matches texts without line breaks and other control characters, which `URL` removes. */
const noControls = /^\P{Cc}*$/u;

/** Returns the schema of a URL that the server fetches or looks up. */
export const createHttpUrlSchema = ({ max = 2048, protocol = /^https?$/ } = {}) =>
  z
    .string()
    .max(max)
    .regex(noControls, 'must not contain line breaks or other control characters')
    .check(z.url({ protocol }));

/** The media type of a file. It is sent in a header. */
export const MediaType = z
  .string()
  .max(256)
  .regex(/^[\x20-\x7e]*$/, 'must be printable ASCII');
