interface LoadedScript {
  address: string;
  id: string;
  mayUseCookies: boolean;
}

/** A literal of JavaScript that also stands within an element of HTML. */
const literal = (text: string): string => JSON.stringify(text).replaceAll('<', '\\u003c');

/** The program that adds the script to a page, once. */
export const loaderOf = ({ address, id, mayUseCookies }: LoadedScript): string => `(() => {
  const address = ${literal(address)};
  for (const { src } of document.scripts) if (src === address) return;
  const script = document.createElement('script');
  script.src = address;
  script.async = true;
  script.dataset.id = ${literal(id)};
  script.dataset.cookies = ${literal(mayUseCookies ? 'allowed' : 'none')};
  document.head.append(script);
})();
`;
