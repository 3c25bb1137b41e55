/** An address in a text that is a link without markup. */
export interface BareAddress {
  start: number;
  end: number;
  url: string;
}

const MAX_LENGTH = 2_000;
/** Spaces and `<` end an address, and so does the punctuation of writing systems without spaces, such as Chinese. */
const ADDRESS =
  /(?<![A-Za-z\d])https?:\/\/[^\s<\u3000-\u303f\uff00-\uffef]{1,2000}|(?<![^\s*_~(])www\.[^\s<\u3000-\u303f\uff00-\uffef]{1,2000}|(?<![\w.+-])(?:mailto:)?[A-Za-z\d][\w.+-]{0,63}@[A-Za-z\d][A-Za-z\d._-]{0,250}/gi;
const HOST = /^[A-Za-z\d\u0080-\uffff][^\s/?#:]*/;

/** Finds the addresses that GitHub turns into links: URLs, `www.` addresses and e-mail addresses. */
export function findBareAddresses(text: string): BareAddress[] {
  if (!/:\/\/|www\.|@/i.test(text)) return [];
  return [...text.matchAll(ADDRESS)].flatMap(({ 0: addressText, index: start }) => {
    const written = removePunctuation(addressText);
    const url = getUrl(written);
    return url === undefined || written.length > MAX_LENGTH ? [] : [{ start, end: start + written.length, url }];
  });
}

function getUrl(written: string): string | undefined {
  const isWeb = /^(?:https?:\/\/|www\.)/i.test(written);
  const host = HOST.exec(written.replace(isWeb ? /^https?:\/\//i : /^.*@/, ''))?.[0] ?? '';
  const labels = host.split('.');
  const isShort = labels.length < 2 && !/^https?:/i.test(written);
  if (isShort || labels.includes('') || labels.slice(-2).some((label) => label.includes('_'))) return undefined;
  if (isWeb) return /^www\./i.test(written) ? `http://${written}` : written;
  return host.endsWith('-') ? undefined : `mailto:${written.replace(/^mailto:/i, '')}`;
}

/** Removes trailing punctuation: punctuation of the sentence, unmatched closing parentheses, and entities. */
function removePunctuation(addressText: string): string {
  let end = addressText.length;
  let extra = countSign(addressText, ')') - countSign(addressText, '(');
  for (;;) {
    const last = addressText.charAt(end - 1);
    if (/[?!.,:*_~'"]/.test(last)) end -= 1;
    else if (last === ')' && extra > 0) {
      end -= 1;
      extra -= 1;
    } else if (last === ';') {
      const entity = /&[A-Za-z\d]{1,31};$/.exec(addressText.slice(Math.max(0, end - 33), end))?.[0];
      if (entity === undefined) return addressText.slice(0, end);
      end -= entity.length;
    } else return addressText.slice(0, end);
  }
}

const countSign = (text: string, sign: string): number => text.split(sign).length - 1;
