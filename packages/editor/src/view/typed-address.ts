const mailAddress = /^[^\s@/]+@[^\s@/]+\.[^\s@/]+$/;

/** Whether a text in a field for a page or an address is certainly an address, and not the title of a page. */
export const isAddress = (text: string): boolean =>
  /^(?:[a-z][a-z\d+.-]*:\S|[/#?]|\.{1,2}(?:\/|$))/i.test(text) || mailAddress.test(text);

/** Whether a text that is not the title of a page can be an address, such as `guide/install` or `example.com`. */
export const canBeAddress = (text: string): boolean => /^\S+(?:\/|\.[a-z]{2,})\S*$/i.test(text);

/** Returns the address of a link to a typed address. */
export const toAddress = (text: string): string => (mailAddress.test(text) ? `mailto:${text}` : text);
