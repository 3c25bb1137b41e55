import * as z from 'zod';

/** An e-mail address, stored as given. Addresses are compared case-insensitively. */
export const EmailAddress = z.email().max(254);
