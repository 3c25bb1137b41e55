import type { ChangeRequest } from '@octavo/schema';

type Named = Pick<ChangeRequest, 'subject' | 'number'>;

/** Returns the title of a change request. It may have no subject. */
export const getSubject = ({ subject, number }: Named): string => subject || `Change request #${number}`;

/**
 * Returns the number of a change request with a space after it. Empty without a subject: the title has the number then.
 */
export const getNumberPrefix = ({ subject, number }: Named): string => (subject === '' ? '' : `#${number} `);
