const mailAddress = /^[^\s@/:?#]+@[^\s@/:?#]+\.[^\s@/:?#]+$/;

/** Whether a text in a field for a page or an address is certainly an address, and not the title of a page. */
export const isAddress = (text: string): boolean =>
  /^(?:[a-z][a-z\d+.-]*:\S|[/#?]|\.{1,2}(?:\/|$))/i.test(text) || mailAddress.test(text);

/**
 * Whether a text that is not the title of a page can be an address, such as `guide/install` or `www.example.com`. Names
 * such as `CI/CD` and `Node.js` cannot.
 */
export const canBeAddress = (text: string): boolean =>
  /^(?:www\.\S+|[^\sA-Z]+\/[^\sA-Z]*|\S+\.md(?:#\S*)?)$/.test(text);

/** Returns the address of a link to a typed address. */
export function toAddress(text: string): string {
  if (mailAddress.test(text)) return `mailto:${text}`;
  return text.startsWith('www.') ? `https://${text}` : text;
}
