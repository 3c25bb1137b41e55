const maxLength = 64;

/** What somebody is called of whom only the address is known: the part before the last `@`. */
export const nameFromEmail = (email: string): string =>
  email.slice(0, email.lastIndexOf('@')).slice(0, maxLength).toWellFormed();
