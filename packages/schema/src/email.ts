import * as z from 'zod';

/** An e-mail address, in the form that it was given: addresses are compared without regard to case. */
export const EmailAddress = z.email().max(254);
