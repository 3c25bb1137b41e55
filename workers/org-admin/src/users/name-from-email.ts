const maxLength = 64;

/** Default display name: the part of the address before the last `@`. */
export const getNameFromEmail = (email: string): string =>
  email.slice(0, email.lastIndexOf('@')).slice(0, maxLength).toWellFormed();
